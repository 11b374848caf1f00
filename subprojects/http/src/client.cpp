#include "http/client.hpp"

#include "client_core.hpp"

#include <asio/post.hpp>
#include <asio/use_awaitable.hpp>

#include <utility>

namespace http {

std::string_view to_string(client_failure failure) {
  switch (failure) {
    case client_failure::none: return "none";
    case client_failure::resolve: return "resolve";
    case client_failure::connect: return "connect";
    case client_failure::tls: return "tls";
    case client_failure::timeout_first_byte: return "timeout_first_byte";
    case client_failure::timeout: return "timeout";
    case client_failure::too_large: return "too_large";
    case client_failure::framing: return "framing";
    case client_failure::cut: return "cut";
    case client_failure::cancelled: return "cancelled";
    case client_failure::no_memory: return "no_memory";
    case client_failure::other: return "other";
  }
  return "other";
}

std::string_view find_header(const headers& in, std::string_view name) {
  for (auto& field : in)
    if (field.name == name)
      return field.value;
  return {};
}

std::string join_headers(const headers& in, std::string_view name) {
  std::string out;
  for (auto& field : in)
    if (field.name == name)
      out.append(out.empty() ? "" : ", ").append(field.value);
  return out;
}

void client_handle::cancel() {
  if (auto transfer = transfer_.lock())
    transfer->cancel();
}

void client_handle::pause() {
  if (auto transfer = transfer_.lock())
    transfer->pause();
}

void client_handle::resume() {
  if (auto transfer = transfer_.lock())
    transfer->resume();
}

bool client_handle::has_left() const {
  auto transfer = transfer_.lock();
  return !transfer || transfer->has_left;
}

client::client(asio::io_context& io, client_options options) : core_(std::make_shared<core>(io, std::move(options))) {}

client::~client() { core_->close(); }

client_handle client::start(client_request request, client_handlers handlers) {
  return client_handle{core_->start(std::move(request), std::move(handlers))};
}

asio::awaitable<client_result> client::fetch(client_request request) {
  auto initiate = [this](auto handler, client_request asked) {
    auto slot = asio::get_associated_cancellation_slot(handler);
    auto waiting = std::make_shared<decltype(handler)>(std::move(handler));
    client_handlers handlers;
    handlers.on_end = [waiting](client_result result) {
      auto executor = asio::get_associated_executor(*waiting);
      asio::post(executor, [waiting, answer = std::move(result)]() mutable {
        asio::get_associated_cancellation_slot(*waiting).clear();
        std::move (*waiting)(std::move(answer));
      });
    };
    auto handle = start(std::move(asked), std::move(handlers));
    if (slot.is_connected())
      slot.assign([handle](asio::cancellation_type) mutable { handle.cancel(); });
  };
  co_return co_await asio::async_initiate<const asio::use_awaitable_t<>&, void(client_result)>(
    initiate, asio::use_awaitable, std::move(request));
}

} // namespace http
