#include "mcp/http_identity.hpp"

#include <utility>

namespace mcp {

asio::awaitable<void> http_identity::renew() {
  if (!source_)
    co_return;
  auto value = co_await source_->value();
  session_.authorize(std::move(value));
}

asio::awaitable<authorization_advice> http_identity::refused(std::shared_ptr<http_exchange> exchange) {
  authorization_advice advice;
  if (!source_)
    co_return advice;
  authorization_refusal refusal;
  refusal.status = exchange->status();
  refusal.challenge = http::find_header(exchange->fields(), "www-authenticate");
  refusal.sent = session_.authorization();
  advice = co_await source_->refused(std::move(refusal));
  co_return advice;
}

} // namespace mcp
