// All exchanges of one connection that are open.
#pragma once

#include "mcp/http_connection.hpp"
#include "mcp/http_exchange.hpp"

#include <memory>
#include <utility>
#include <vector>

namespace mcp {

class http_exchanges {
public:
  explicit http_exchanges(http_environment& environment) : environment_(environment) {}

  /// It lives as long as somebody has it.
  std::shared_ptr<http_exchange> start(http::client_request request) {
    auto exchange = std::make_shared<http_exchange>(environment_.executor, environment_.unread);
    std::erase_if(open_, [](auto& each) { return each.expired(); });
    open_.push_back(exchange);
    exchange->start(*environment_.client, std::move(request));
    return exchange;
  }

  void cancel() {
    for (auto& each : open_)
      if (auto exchange = each.lock())
        exchange->cancel();
  }

private:
  http_environment& environment_;
  std::vector<std::weak_ptr<http_exchange>> open_;
};

} // namespace mcp
