#include "actors/provider_request.hpp"

#include "process/offload.hpp"
#include "sampling/faults.hpp"

#include <caf/all.hpp>

#include <algorithm>
#include <new>
#include <utility>

namespace actors {

using msg::fault;
using msg::transport;
using std::chrono::milliseconds;

namespace {

constexpr uint16_t status_ok = 200;
constexpr milliseconds connect_max{10'000};
/// 0.2 ms of work at most, and every question has its turn: what of a stream comes as its model writes it. More is for
/// another thread: pieces that are longer, or that are about to end an event that is.
constexpr size_t read_at_once_max = 4u << 10;

struct given_up_at_last {
  explicit given_up_at_last(msg::provider_request_actor actor) : one(std::move(actor)) {}
  given_up_at_last(const given_up_at_last&) = delete;
  given_up_at_last& operator=(const given_up_at_last&) = delete;
  ~given_up_at_last() { caf::anon_send_exit(one, caf::exit_reason::user_shutdown); }

  msg::provider_request_actor one;
};

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
    // A head that is too large is no provider's.
    case client_failure::too_large: return result.status == 0 ? transport::failed : transport::too_large;
    case client_failure::no_memory: return transport::no_memory;
    case client_failure::framing:
    case client_failure::cancelled:
    case client_failure::other: return transport::failed;
  }
  return transport::failed;
}

msg::provider_reply reply_of(http::client_result& result) {
  return {transport_of(result),
          result.status,
          std::string{http::find_header(result.fields, "retry-after")},
          std::string{http::find_header(result.fields, "retry-after-ms")},
          std::move(result.message),
          result.was_sent};
}

} // namespace

provider_request_state::~provider_request_state() {
  if (cancel_)
    cancel_();
}

bool provider_request_state::has_other_threads() const {
  return options_.listener.place && options_.listener.place->offload();
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
  to_send.response_bytes_max = sampling::body_bytes_max;
  to_send.connect_timeout = std::min(to_send.total_timeout, connect_max);
  reading_ =
    std::make_shared<sampling::provider_reading>(sampling::provider_reading{access.who,
                                                                            access.base_url,
                                                                            options_.request.stream,
                                                                            without_key_,
                                                                            sampling::stream_reader{access.who},
                                                                            {},
                                                                            {},
                                                                            {}});
  flow_ = std::make_shared<sampling::body_flow>(options_.listener.place);
  ++try_;
  auto sent = options_.send(std::move(to_send), handlers());
  flow_->open(std::move(sent.hold));
  cancel_ = std::move(sent.cancel);
  is_asking_ = true;
}

/// They know the actor and no more: it may end before the request does. What is no stream is put together here, piece
/// by piece as it comes.
http::client_handlers provider_request_state::handlers() {
  auto me = caf::actor_cast<msg::provider_request_actor>(self_);
  http::client_handlers out;
  auto streams = std::make_shared<bool>(false);
  if (options_.request.stream)
    out.on_head = [streams](uint16_t status, const http::headers&) { *streams = status == status_ok; };
  out.on_data = [me, streams, flow = flow_, number = try_](std::string_view bytes) {
    if (!*streams)
      return flow->collect(bytes);
    flow->came(bytes.size());
    caf::anon_send(me, msg::received_atom::value, number, std::string{bytes});
  };
  out.on_end = [me, flow = flow_, number = try_](http::client_result result) {
    auto tell = [&] { caf::anon_send(me, msg::reply_atom::value, number, reply_of(result)); };
    try {
      tell();
    } catch (const std::bad_alloc&) { // for the end as well, which has to be told
      flow->drop_body();
      result = {result.status, {}, {}, http::client_failure::no_memory, result.was_sent, {}};
      tell();
    }
  };
  return out;
}

void provider_request_state::take(const std::string& bytes) {
  unread_ += bytes;
  read_on();
}

void provider_request_state::ended(msg::provider_reply reply) {
  cancel_ = nullptr;
  if (reply.how == transport::no_memory)
    flow_->drop_body();
  reading_->body = flow_->take_body();
  end_ = std::move(reply);
  read_on();
}

/// Everything in its order, here or elsewhere. While one piece is read, the next one grows, up to the bound of the
/// flow.
void provider_request_state::read_on() {
  if (is_read_elsewhere_ || (unread_.empty() && !end_))
    return;
  read_bytes_ = unread_.size();
  reading_->bytes = std::exchange(unread_, {});
  reading_->reply = std::exchange(end_, std::nullopt);
  if (!has_other_threads() || reading_->unread_bytes() <= read_at_once_max) {
    reading_->read();
    return was_read({});
  }
  is_read_elsewhere_ = true;
  auto me = caf::actor_cast<msg::provider_request_actor>(self_);
  options_.listener.place->offload()([reading = reading_] { reading->read(); },
                                     [me](fault why) { caf::anon_send(me, msg::checked_atom::value, std::move(why)); });
}

void provider_request_state::was_read(const fault& why) {
  is_read_elsewhere_ = false;
  flow_->was_read(read_bytes_, reading_->kept_bytes());
  if (why.code != msg::errc::none)
    return answer(why);
  if (auto text = std::exchange(reading_->text, {}); !text.empty()) {
    has_given_text_ = true;
    options_.listener.text(std::move(text));
  }
  if (reading_->reply)
    return try_ended();
  read_on();
}

void provider_request_state::try_ended() {
  auto reply = std::move(*reading_->reply);
  auto outcome = std::move(reading_->outcome);
  reading_ = nullptr;
  is_asking_ = false;
  flow_ = nullptr;
  if (outcome.ok() && options_.request.stream && !has_given_text_ && !outcome.value.text.empty())
    options_.listener.text(outcome.value.text); // it was no stream, but an answer as a whole
  bool was_heard = reply.status != 0 || reply.was_sent;
  if (was_heard && outcome.error.code != msg::errc::rate_limited)
    ++times_asked_;
  if (outcome.ok() || has_given_text_)
    return answer(std::move(outcome));
  sampling::attempt tried{reply.how, reply.status, std::move(reply.retry_after), std::move(reply.retry_after_ms)};
  auto next = retries_->after(tried, std::move(outcome.error), time_left(), std::chrono::system_clock::now());
  if (next.wait) {
    if (options_.listener.place)
      options_.listener.place->leave();
    options_.listener.asked(times_asked_);
    self_->delayed_send(self_, *next.wait, msg::tick_atom::value);
    return;
  }
  outcome.error = std::move(next.error);
  answer(std::move(outcome));
}

void provider_request_state::answer(answer_outcome outcome) {
  outcome.value.times_asked = times_asked_ + (is_asking_ ? 1 : 0);
  if (!outcome.ok() && try_ > 1)
    outcome.error.message += " Tried " + std::to_string(try_) + " times.";
  auto end = std::exchange(options_.listener.end, nullptr);
  self_->quit();
  if (end)
    end(std::move(outcome));
}

msg::provider_request_actor::behavior_type provider_request_state::make_behavior(provider_request_options options) {
  options_ = std::move(options);
  without_key_ = [mask = mcp::secret_mask{{options_.access.key}}](std::string said) {
    return mask(std::move(said), false);
  };
  retries_.emplace(options_.access.retries, options_.jitter_seed);
  deadline_ = self_->clock().now() + options_.access.timeout;
  self_->set_default_handler(caf::drop);
  self_->set_exception_handler([this](std::exception_ptr& thrown) -> caf::error {
    auto why = process::fault_of(thrown);
    why.message = without_key_(std::move(why.message));
    answer(std::move(why));
    return caf::exit_reason::unhandled_exception;
  });
  start();
  return {
    [this](msg::received_atom, uint32_t number, const std::string& bytes) {
      if (number == try_ && cancel_)
        take(bytes);
    },
    [this](msg::reply_atom, uint32_t number, msg::provider_reply& reply) {
      if (number == try_ && cancel_)
        ended(std::move(reply));
    },
    [this](msg::checked_atom, const fault& why) { was_read(why); },
    [this](msg::tick_atom) {
      options_.listener.asked(times_asked_ + 1);
      start();
    },
  };
}

msg::provider_request_actor::behavior_type
provider_request(msg::provider_request_actor::stateful_pointer<provider_request_state> self,
                 provider_request_options options) {
  return self->state.make_behavior(std::move(options));
}

std::function<void()> ask_provider(caf::actor_system& system, provider_request_options options) {
  auto one = std::make_shared<given_up_at_last>(system.spawn(provider_request, std::move(options)));
  return [one]() mutable { one.reset(); };
}

} // namespace actors
