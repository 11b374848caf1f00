#include "actors/provider_request.hpp"

#include "process/offload.hpp"
#include "sampling/faults.hpp"

#include <caf/all.hpp>

#include <algorithm>
#include <utility>

namespace actors {

using msg::fault;
using msg::transport;
using std::chrono::milliseconds;

namespace {

/// Twice what an answer may have: JSON takes more than the text in it.
constexpr size_t body_bytes_max = 2 * sampling::answer_bytes_max;
constexpr uint16_t status_ok = 200;
constexpr milliseconds connect_max{10'000};
/// 2 ms of work. More is for another thread.
constexpr size_t read_at_once_max = 64u << 10;

transport transport_of(const http::client_result& result) {
  using http::client_failure;
  switch (result.failure) {
    case client_failure::none: return transport::answered;
    case client_failure::resolve:
    case client_failure::connect: return transport::not_connected;
    case client_failure::tls: return transport::not_trusted;
    case client_failure::timeout_first_byte:
    case client_failure::timeout: return transport::timed_out;
    case client_failure::cut: return result.status == 0 ? transport::lost_early : transport::lost;
    case client_failure::too_large:
    case client_failure::cancelled:
    case client_failure::other: return transport::failed;
  }
  return transport::failed;
}

msg::provider_reply reply_of(http::client_result result) {
  return {transport_of(result),
          result.status,
          std::string{http::find_header(result.fields, "retry-after")},
          std::string{http::find_header(result.fields, "retry-after-ms")},
          std::move(result.body),
          std::move(result.message)};
}

} // namespace

provider_request_state::~provider_request_state() {
  if (cancel_)
    cancel_();
}

milliseconds provider_request_state::time_left() const {
  return std::chrono::duration_cast<milliseconds>(deadline_ - self_->clock().now());
}

void provider_request_state::start() {
  auto& access = options_.access;
  auto question = sampling::http_request_for(access.who, access.base_url, access.key, options_.request);
  http::client_request to_send;
  to_send.method = "POST";
  to_send.url = std::move(question.url);
  for (auto& [name, value] : question.headers)
    to_send.fields.push_back({std::move(name), std::move(value)});
  to_send.body = std::move(question.body);
  to_send.total_timeout = std::max(time_left(), milliseconds{1});
  to_send.first_byte_timeout = to_send.total_timeout;
  to_send.response_bytes_max = body_bytes_max;
  to_send.connect_timeout = std::min(to_send.total_timeout, connect_max);
  reader_.emplace(access.who);
  error_body_.clear();
  ++try_;
  cancel_ = options_.send(std::move(to_send), handlers());
}

/// They know the actor and no more: it may end before the request does.
http::client_handlers provider_request_state::handlers() {
  auto me = caf::actor_cast<msg::provider_request_actor>(self_);
  http::client_handlers out;
  if (options_.request.stream) {
    auto status = std::make_shared<uint16_t>(0);
    out.on_head = [status](uint16_t s, const http::headers&) { *status = s; };
    out.on_data = [me, status, number = try_](std::string_view bytes) {
      caf::anon_send(me, msg::received_atom::value, number, *status, std::string{bytes});
    };
  }
  out.on_end = [me, number = try_](http::client_result result) {
    caf::anon_send(me, msg::reply_atom::value, number, reply_of(std::move(result)));
  };
  return out;
}

void provider_request_state::take(uint16_t status, const std::string& bytes) {
  if (status != status_ok) {
    error_body_ += bytes;
    return;
  }
  auto text = reader_->feed(bytes);
  if (text.empty())
    return;
  has_given_text_ = true;
  options_.listener.text(without_key_(std::move(text), false));
}

namespace {

msg::outcome<msg::model_answer> outcome_of(provider_reading& all) {
  auto& reply = all.reply;
  auto how = reply.how;
  bool is_whole = how == transport::answered;
  if (all.is_stream && reply.status == status_ok && (is_whole || how == transport::lost))
    return all.stream.finish(); // it says best what is missing of a stream that was cut
  if (!is_whole)                // whatever came of a stream was used
    return all.stream.failed(sampling::transport_fault(all.access.who, all.access.base_url, how, reply.problem));
  return sampling::answer_of(all.access.who, reply.status, all.is_stream ? all.error_body : reply.body);
}

} // namespace

/// A provider may quote the key that it was sent.
void provider_reading::read() {
  outcome = outcome_of(*this);
  outcome.error.message = without_key(std::move(outcome.error.message), false);
  outcome.value.text = without_key(std::move(outcome.value.text), false);
  outcome.value.model = without_key(std::move(outcome.value.model), false);
}

void provider_request_state::ended(msg::provider_reply reply) {
  cancel_ = nullptr;
  reading_ = std::make_shared<provider_reading>(provider_reading{options_.access, options_.request.stream,
                                                                 std::move(reply), std::move(*reader_),
                                                                 std::exchange(error_body_, {}), without_key_});
  if (!options_.offload || reading_->bytes() <= read_at_once_max) {
    reading_->read();
    return was_read({});
  }
  auto me = caf::actor_cast<msg::provider_request_actor>(self_);
  options_.offload([reading = reading_] { reading->read(); },
                   [me](fault why) { caf::anon_send(me, msg::checked_atom::value, std::move(why)); });
}

void provider_request_state::was_read(const fault& why) {
  auto reply = std::move(reading_->reply);
  auto outcome = why.code == msg::errc::none ? std::move(reading_->outcome) : answer_outcome{why};
  reading_ = nullptr;
  if (outcome.ok() && options_.request.stream && !has_given_text_ && !outcome.value.text.empty())
    options_.listener.text(outcome.value.text); // it was no stream, but an answer as a whole
  if (outcome.ok() || has_given_text_)
    return answer(std::move(outcome));
  bool never_left = reply.how == transport::not_connected || reply.how == transport::not_trusted;
  outcome.value.was_asked = !never_left && outcome.error.code != msg::errc::rate_limited;
  sampling::attempt tried{reply.how, reply.status, std::move(reply.retry_after), std::move(reply.retry_after_ms)};
  auto next = retries_->after(tried, std::move(outcome.error), time_left(), std::chrono::system_clock::now());
  if (next.wait) {
    self_->delayed_send(self_, *next.wait, msg::tick_atom::value);
    return;
  }
  outcome.error = std::move(next.error);
  answer(std::move(outcome));
}

void provider_request_state::answer(answer_outcome outcome) {
  auto end = std::exchange(options_.listener.end, nullptr);
  self_->quit();
  if (end)
    end(std::move(outcome));
}

msg::provider_request_actor::behavior_type provider_request_state::make_behavior(provider_request_options options) {
  options_ = std::move(options);
  without_key_ = mcp::secret_mask{{options_.access.key}};
  retries_.emplace(options_.access.retries, options_.jitter_seed);
  deadline_ = self_->clock().now() + options_.access.timeout;
  self_->set_default_handler(caf::drop);
  self_->set_exception_handler([this](std::exception_ptr& thrown) -> caf::error {
    auto why = process::fault_of(thrown);
    why.message = without_key_(std::move(why.message), false);
    answer(std::move(why));
    return caf::exit_reason::unhandled_exception;
  });
  start();
  return {
    [this](msg::received_atom, uint32_t number, uint16_t status, const std::string& bytes) {
      if (number == try_)
        take(status, bytes);
    },
    [this](msg::reply_atom, uint32_t number, msg::provider_reply& reply) {
      if (number == try_ && cancel_)
        ended(std::move(reply));
    },
    [this](msg::checked_atom, const fault& why) { was_read(why); },
    [this](msg::tick_atom) { start(); },
  };
}

msg::provider_request_actor::behavior_type
provider_request(msg::provider_request_actor::stateful_pointer<provider_request_state> self,
                 provider_request_options options) {
  return self->state.make_behavior(std::move(options));
}

} // namespace actors
