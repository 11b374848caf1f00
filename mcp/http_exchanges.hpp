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
    auto exchange = make();
    std::erase_if(open_, [](auto& each) { return each.expired(); });
    open_.push_back(exchange);
    exchange->start(*environment_.client, std::move(request));
    return exchange;
  }
  /// One that is over: nothing was sent, and that is what came of it.
  std::shared_ptr<http_exchange> answered(http::client_result result) {
    auto exchange = make();
    exchange->answer(std::move(result));
    return exchange;
  }

  void cancel() {
    for (auto& each : open_)
      if (auto exchange = each.lock())
        exchange->cancel();
  }

private:
  std::shared_ptr<http_exchange> make() {
    return std::make_shared<http_exchange>(environment_.executor, environment_.unread);
  }

  http_environment& environment_;
  std::vector<std::weak_ptr<http_exchange>> open_;
};

} // namespace mcp
