#include "mcp/http_exchange.hpp"

#include "messages/limits.hpp"
#include "process/no_throw.hpp"
#include "text/ascii.hpp"

#include <algorithm>
#include <utility>

namespace mcp {

using asio::awaitable;
namespace limits = msg::limits;

namespace {

/// Events that have come and were not taken: then the server waits.
constexpr size_t events_bytes_held = 256u << 10;
/// Of an error that a server tells in a body.
constexpr size_t error_body_bytes_max = 4u << 10;
constexpr std::chrono::milliseconds error_body_wait{1'000};

std::string too_long() {
  return "it answered with a message of more than " + std::to_string(limits::child_line_bytes_max >> 20) + " MiB";
}

} // namespace

body_kind body_kind_of(const http::headers& fields) {
  auto type = http::find_header(fields, "content-type");
  auto name = text::in_small_letters(text::trimmed(type.substr(0, type.find(';'))));
  return name.empty()                  ? body_kind::none
         : name == "application/json"  ? body_kind::json
         : name == "text/event-stream" ? body_kind::events
                                       : body_kind::other;
}

http_exchange::http_exchange(const asio::any_io_executor& executor, std::shared_ptr<process::common_budget> unread)
  : change_(executor),
    end_(executor),
    unread_(std::move(unread),
            [this] {
              give_up("its answer, of which " + std::to_string((events_bytes_ + body_.size()) >> 20)
                      + " MiB had come, was given up: the answers of all servers took too much memory together; have "
                        "servers answer with less at a time");
            }),
    parser_(limits::child_line_bytes_max) {}

http_exchange::~http_exchange() { handle_.cancel(); }

void http_exchange::start(http::client& by, http::client_request request) {
  http::client_handlers handlers;
  auto with = [weak = weak_from_this()](auto work) {
    if (auto self = weak.lock())
      work(*self);
  };
  handlers.on_head = [with](uint16_t status, const http::headers& fields) {
    with([&](http_exchange& self) { self.take_head(status, fields); });
  };
  handlers.on_data = [with](std::string_view bytes) { with([&](http_exchange& self) { self.take_data(bytes); }); };
  handlers.on_end = [with](http::client_result result) {
    with([&](http_exchange& self) { self.end(std::move(result)); });
  };
  handle_ = by.start(std::move(request), std::move(handlers));
}

void http_exchange::answer(http::client_result result) {
  take_head(result.status, result.fields);
  take_data(result.body);
  end(std::move(result));
}

void http_exchange::cancel() {
  handle_.cancel();
  change_.cancel();
}

void http_exchange::end_within(std::chrono::milliseconds time) {
  if (has_ended_)
    return;
  end_.expires_after(time);
  end_.async_wait([weak = weak_from_this()](asio::error_code failed) {
    if (auto self = weak.lock(); self && !failed)
      self->cancel();
  });
}

// ---- what comes ------------------------------------------------------------------------------

void http_exchange::take_head(uint16_t status, const http::headers& fields) {
  status_ = status;
  fields_ = fields;
  kind_ = body_kind_of(fields);
  change_.cancel();
}

void http_exchange::take_data(std::string_view bytes) {
  if (!problem_.empty())
    return;
  if (!is_success()) {
    body_.append(bytes.substr(0, error_body_bytes_max - std::min(body_.size(), error_body_bytes_max)));
    return;
  }
  if (kind_ == body_kind::events) {
    for (auto& event : parser_.feed(bytes)) {
      auto& held = events_.emplace_back(exchange_event{std::move(event.name), std::move(event.data)});
      events_bytes_ += held.held_bytes();
    }
    if (parser_.too_long())
      give_up(too_long());
    if (events_bytes_ > events_bytes_held && !std::exchange(is_paused_, true))
      handle_.pause();
  } else if (bytes.size() > limits::child_line_bytes_max - body_.size()) {
    give_up(too_long());
  } else {
    body_.append(bytes);
  }
  tell_held();
  change_.cancel();
}

void http_exchange::end(http::client_result result) {
  has_ended_ = true;
  end_.cancel();
  result_ = std::move(result);
  change_.cancel();
}

void http_exchange::give_up(std::string problem) {
  problem_ = std::move(problem);
  events_.clear();
  events_bytes_ = 0;
  std::string{}.swap(body_);
  cancel();
}

void http_exchange::tell_held() { unread_.set(events_bytes_ + parser_.waiting_bytes() + body_.size()); }

// ---- who waits for it ------------------------------------------------------------------------

awaitable<void> http_exchange::changed(time_point until) {
  auto self = shared_from_this();
  change_.expires_at(until);
  co_await change_.async_wait(process::no_throw);
}

awaitable<void> http_exchange::until_head(time_point until) {
  while (status_ == 0 && !has_ended_ && asio::steady_timer::clock_type::now() < until)
    co_await changed(until);
}

awaitable<void> http_exchange::until_quote() {
  auto until = asio::steady_timer::clock_type::now() + error_body_wait;
  while (!is_success() && !has_ended_ && body_.size() < error_body_bytes_max
         && asio::steady_timer::clock_type::now() < until)
    co_await changed(until);
}

awaitable<std::optional<exchange_event>> http_exchange::next() {
  while (events_.empty() && !has_ended_)
    co_await changed();
  std::optional<exchange_event> out;
  if (!events_.empty()) {
    events_bytes_ -= events_.front().held_bytes();
    out = std::move(events_.front());
    events_.pop_front();
  } else if (is_success() && kind_ != body_kind::events && !body_.empty() && result_.ok()) {
    out = exchange_event{{}, std::exchange(body_, {})};
  }
  if (events_bytes_ <= events_bytes_held && std::exchange(is_paused_, false))
    handle_.resume();
  tell_held();
  co_return out;
}

} // namespace mcp
