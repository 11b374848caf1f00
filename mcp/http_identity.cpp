#include "mcp/http_identity.hpp"

#include <algorithm>
#include <utility>

namespace mcp {

namespace {

/// Of one connection, that its server may still repeat.
constexpr size_t tokens_masked_max = 4;

} // namespace

asio::awaitable<void> http_identity::renew() {
  if (!source_)
    co_return;
  auto value = co_await source_->value();
  if (value == session_.authorization())
    co_return;
  auto secrets = secrets_;
  tokens_.push_front(value.substr(value.find(' ') + 1)); // of "Bearer ..."
  tokens_.resize(std::min(tokens_.size(), tokens_masked_max));
  secrets.insert(secrets.end(), tokens_.begin(), tokens_.end());
  mask_ = secret_mask{secrets};
  session_.authorize(std::move(value));
}

asio::awaitable<authorization_advice> http_identity::refused(std::shared_ptr<http_exchange> exchange,
                                                             said_authorization said) {
  authorization_advice advice;
  if (!source_)
    co_return advice;
  authorization_refusal refusal;
  refusal.status = exchange->status();
  refusal.challenge = http::join_headers(exchange->fields(), "www-authenticate");
  refusal.sent = std::move(said.value);
  refusal.was_renewed = said.was_renewed;
  advice = co_await source_->refused(std::move(refusal));
  co_return advice;
}

asio::awaitable<void> http_identity::accepted(said_authorization said) {
  if (source_)
    co_await source_->accepted(std::move(said));
}

} // namespace mcp
