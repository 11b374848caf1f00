#include "mcp/http_connection.hpp"

#include "mcp/http_outbox.hpp"
#include "mcp/http_session.hpp"
#include "mcp/http_verdict.hpp"
#include "mcp/secret_mask.hpp"
#include "messages/limits.hpp"
#include "process/json_reader.hpp"
#include "process/offload.hpp"
#include "process/pauses.hpp"
#include "text/printable.hpp"

#include <asio/co_spawn.hpp>
#include <asio/post.hpp>

#include <algorithm>
#include <map>
#include <utility>

namespace mcp {

namespace limits = msg::limits;
using asio::awaitable;
using std::chrono::milliseconds;
using exchange_ptr = std::shared_ptr<http_exchange>;

namespace {

/// A second try after a connection that could not be made.
constexpr milliseconds connect_again_pause{200};
constexpr int redirects_max = 3;
/// A stream that was cut is asked for again so often without news, and after that, unless the server says when.
constexpr int resumptions_max = 5;
constexpr milliseconds resume_pause{1'000}, resume_pause_min{100};
/// A call that was cancelled may still be answered.
constexpr milliseconds cancelled_answer_max{5'000};

awaitable<msg::outcome<std::string>> written(const asio::any_io_executor& worker, const msg::spliced_text& message) {
  auto work = [message] { return message.text(); };
  if (message.text_bytes() <= limits::json_inline_bytes_max)
    co_return process::attempt(work);
  auto text = co_await process::offload(worker, std::move(work));
  co_return text;
}

/// Whether there is an answer to an `initialize` that was sent once more: nobody else waits for it.
awaitable<bool> has_begun_anew(const asio::any_io_executor& worker, exchange_ptr exchange, http_session& session) {
  for (;;) {
    auto event = co_await exchange->next();
    if (!event)
      co_return false;
    auto message = co_await process::read_json_message(worker, event->data, limits::run_held_bytes_max);
    if (session.take_second_answer(message.value.value()))
      co_return true;
  }
}

std::string told(const secret_mask& mask, std::string why) { return text::printable(mask(std::move(why), false)); }

class http_connection final : public connection, public std::enable_shared_from_this<http_connection> {
public:
  http_connection(http_environment& environment, http_target where, connection_events events)
    : environment_(environment),
      worker_(environment.worker()),
      mask_(where.secrets),
      session_(std::move(where)),
      events_(std::move(events)),
      pauses_(environment.executor) {}

  /// HTTP with SSE begins with a stream: it says where messages go to.
  void run() {
    if (!session_.is_sse())
      return;
    outbox_.hold();
    spawn(read_sse(shared_from_this()));
  }

  bool send(msg::spliced_text message, uint64_t key) override {
    if (is_over_ || is_stopping_)
      return true;
    if (!outbox_.push(std::move(message), key))
      return false;
    send_waiting();
    return true;
  }
  bool take_back(uint64_t key) override { return outbox_.take_back(key); }

  milliseconds unread_for() override { return milliseconds{0}; }
  std::string masked(std::string text) const override { return mask_(std::move(text), false); }

  void stop() override {
    if (!std::exchange(is_stopping_, true))
      spawn(stop_in_order(shared_from_this()));
  }

  void kill() override { finish({msg::errc::server_died, "was left"}); }

private:
  /// A try of one.
  struct sent_message {
    uint64_t key;
    size_t bytes;
    const std::string& text;
    uint64_t session;   ///< its number
    bool is_in_session; ///< false: the server had given none
    int tries;          ///< before this one
  };

  // Coroutines take `self` so that the connection lives as long as they do.

  // ---- to the server

  void send_waiting() {
    while (!is_beginning_ && !is_over_) {
      auto next = outbox_.next();
      if (!next)
        break;
      spawn(post(shared_from_this(), std::move(*next)));
    }
  }

  void spawn(awaitable<void> work) {
    asio::co_spawn(environment_.executor, std::move(work), [self = shared_from_this()](std::exception_ptr failed) {
      if (failed) // else its calls would wait for ever
        self->finish({msg::errc::server_died, "can not be served any more: " + process::fault_of(failed).message});
    });
  }

  awaitable<void> post([[maybe_unused]] std::shared_ptr<http_connection> self, outgoing_message message) {
    auto writing = co_await written(worker_, message.message);
    auto& text = writing.value;
    if (!writing.ok())
      co_await fail(message.key, "was not asked: " + writing.error.message);
    else
      session_.note_sent(text, message.key);
    bool is_waiting = true;
    for (int tries = 0; writing.ok() && !is_over_; ++tries) {
      auto session = session_.number();
      bool is_in_session = session_.has_begun();
      auto exchange = start(message.key == 0 ? http_purpose::quick : http_purpose::request, text, {});
      if (message.key != 0)
        requests_[message.key] = exchange;
      co_await exchange->until_head();
      if (std::exchange(is_waiting, false)) {
        outbox_.has_left(message.key, message.bytes);
        send_waiting();
      }
      sent_message sent{message.key, message.bytes, text, session, is_in_session, tries};
      bool is_repeated = co_await take_answer(exchange, sent);
      if (!is_repeated)
        break;
    }
    requests_.erase(message.key);
    if (is_waiting) { // it never left
      outbox_.has_left(message.key, message.bytes);
      send_waiting();
    }
  }

  exchange_ptr start(http_purpose purpose, const std::string& text, const std::string& last_event) {
    auto exchange = std::make_shared<http_exchange>(environment_.executor, environment_.unread);
    std::erase_if(exchanges_, [](auto& e) { return e.expired(); });
    exchanges_.push_back(exchange);
    exchange->start(*environment_.client, session_.request(purpose, text, last_event));
    return exchange;
  }

  /// True: the message is to be sent once more.
  awaitable<bool> take_answer(exchange_ptr exchange, const sent_message& sent) {
    auto verdict = verdict_of(*exchange, sent.is_in_session);
    if (verdict != http_verdict::accepted)
      co_await exchange->until_quote();
    if (is_over_)
      co_return false;
    if (verdict == http_verdict::accepted) {
      co_await take_messages(exchange, sent);
      co_return false;
    }
    if (verdict == http_verdict::session_lost && sent.tries == 0) {
      bool has_begun = co_await begin_anew(sent.session);
      co_return has_begun;
    }
    if (verdict == http_verdict::moved && sent.tries < redirects_max && session_.follow(exchange->fields()))
      co_return true;
    bool comes_again = sent.tries == 0 && (verdict == http_verdict::later || verdict == http_verdict::unreachable);
    if (comes_again) {
      co_await pauses_.wait(retry_after(exchange->fields()).value_or(connect_again_pause));
      co_return true;
    }
    if (verdict == http_verdict::unreachable)
      finish({msg::errc::server_died, told(mask_, refusal_of(*exchange))});
    else if (verdict == http_verdict::other_kind && session_.may_be_sse() && session_.begins(sent.key))
      become_sse(sent, refusal_of(*exchange));
    else
      co_await fail(sent.key, refusal_of(*exchange));
    co_return false;
  }

  // ---- from the server

  /// All that comes in answer to a message, whatever it takes to get the rest of a stream.
  awaitable<void> take_messages(exchange_ptr exchange, const sent_message& sent) {
    if (sent.key == 0)
      co_return has_told(sent.text);
    if (session_.begins(sent.key))
      session_.take_head(exchange->fields());
    if (session_.is_sse()) // the answer comes by the stream
      co_return;
    std::string seen;
    for (int tries = 0; tries <= resumptions_max && requests_.contains(sent.key); ++tries) {
      requests_[sent.key] = exchange;
      bool is_answered = co_await take_events(exchange, sent.key);
      auto& stream = exchange->stream();
      if (is_answered || is_over_)
        co_return;
      if (exchange->kind() != body_kind::events || stream.last_id().empty())
        break;
      if (std::exchange(seen, stream.last_id()) != seen)
        tries = 0;
      co_await pauses_.wait(std::max(stream.retry().value_or(resume_pause), resume_pause_min));
      exchange = start(http_purpose::stream, {}, seen);
      co_await exchange->until_head();
    }
    co_await fail(sent.key, refusal_of(*exchange));
  }

  /// True: the answer to that request was among them.
  awaitable<bool> take_events(exchange_ptr exchange, uint64_t key) {
    bool is_answered = false;
    while (!is_over_ && exchange->is_success()) {
      auto event = co_await exchange->next();
      if (!event)
        break;
      if (!event->is_message())
        continue;
      bool answers = co_await take_message(std::move(event->data), key, exchange->kind() == body_kind::json);
      is_answered |= answers;
    }
    co_return is_answered;
  }

  /// `is_all`: nothing else comes in answer to that request.
  awaitable<bool> take_message(std::string text, uint64_t key, bool is_all) {
    auto event = co_await process::read_json_message(worker_, text, limits::run_held_bytes_max);
    if (is_over_)
      co_return false;
    if (event.what == process::json_event::kind::message) {
      bool answers = key != 0 && session_.take_answer(event.value.value(), key);
      co_await events_.received(std::move(event.value));
      co_return answers;
    }
    bool is_broken = event.what == process::json_event::kind::malformed;
    if (key != 0 && (is_all || !is_broken)) {
      co_await fail(key, "answered with what could not be read: " + event.problem + ": " + event.text);
      co_return true;
    }
    if (is_broken)
      co_await events_.non_protocol_line(text::printable(mask_(std::move(event.text), true)));
    co_return false;
  }

  awaitable<void> fail(uint64_t key, std::string why) {
    if (key == 0 || is_over_)
      co_return;
    co_await events_.received(error_answer(key, told(mask_, "server '" + session_.name() + "' " + why)));
  }

  /// The server has got what is no request.
  void has_told(const std::string& text) {
    if (session_.ends_handshake(text) && !session_.is_sse())
      spawn(listen(shared_from_this(), session_.number()));
    if (auto key = http_session::cancelled_by(text); key != 0)
      spawn(forget(shared_from_this(), key));
  }

  awaitable<void> forget([[maybe_unused]] std::shared_ptr<http_connection> self, uint64_t key) {
    co_await pauses_.wait(cancelled_answer_max);
    auto given_up = requests_.extract(key);
    if (given_up)
      given_up.mapped()->cancel();
  }

  /// What the server says by itself comes by a stream of its own, if it has one.
  awaitable<void> listen([[maybe_unused]] std::shared_ptr<http_connection> self, uint64_t session) {
    std::string seen;
    for (int tries = 0; tries <= resumptions_max && !is_over_ && session == session_.number(); ++tries) {
      auto exchange = start(http_purpose::stream, {}, seen);
      co_await exchange->until_head();
      bool is_stream = exchange->is_success() && exchange->kind() == body_kind::events;
      if (!is_stream && exchange->status() != 0)
        co_return;
      co_await take_events(exchange, 0);
      auto& stream = exchange->stream();
      if (is_stream)
        tries = 0;
      if (!stream.last_id().empty())
        seen = stream.last_id();
      co_await pauses_.wait(std::max(stream.retry().value_or(resume_pause * (1 << tries)), resume_pause_min));
    }
  }

  // ---- sessions

  /// True: there is another session. Else the connection has ended.
  awaitable<bool> begin_anew(uint64_t lost) {
    while (is_beginning_ && !is_over_)
      co_await pauses_.wait(connect_again_pause);
    if (is_over_ || session_.number() != lost)
      co_return !is_over_;
    is_beginning_ = true;
    session_.forget();
    auto exchange = start(http_purpose::quick, session_.initialize(), {}); // all others wait for it
    co_await exchange->until_head();
    co_await exchange->until_quote();
    bool has_begun = false;
    if (exchange->is_success()) {
      session_.take_head(exchange->fields());
      has_begun = co_await has_begun_anew(worker_, exchange, session_);
    }
    if (has_begun) {
      auto end_of_handshake = start(http_purpose::quick, session_.initialized(), {});
      co_await end_of_handshake->until_head();
    }
    is_beginning_ = false;
    if (!has_begun) {
      finish({msg::errc::server_died,
              told(mask_, "has lost the session, and could begin no other: it " + refusal_of(*exchange))});
      co_return false;
    }
    send_waiting();
    spawn(listen(shared_from_this(), session_.number()));
    co_await events_.received(tools_have_changed()); // it may be another server by now
    co_return !is_over_;
  }

  // ---- HTTP with SSE

  void become_sse(const sent_message& initialize, std::string why) {
    session_.become_sse();
    refusal_ = std::move(why);
    outbox_.push_front({msg::spliced_text{initialize.text}, initialize.key, initialize.bytes});
    run();
  }

  awaitable<void> read_sse([[maybe_unused]] std::shared_ptr<http_connection> self) {
    auto exchange = start(http_purpose::stream, {}, {});
    co_await exchange->until_head();
    co_await exchange->until_quote();
    if (!exchange->is_success() || exchange->kind() != body_kind::events) {
      auto why = refusal_.empty() ? refusal_of(*exchange)
                                  : refusal_ + "; asked for a stream of events (SSE) it " + refusal_of(*exchange);
      co_return finish({msg::errc::server_died, told(mask_, std::move(why))});
    }
    while (!is_over_) {
      auto event = co_await exchange->next();
      if (!event)
        break;
      if (event->name == "endpoint" && !session_.post_to(event->data))
        co_return finish({msg::errc::protocol_violation,
                          told(mask_, "wants its messages at another server, which is not done: " + event->data)});
      if (event->name == "endpoint") {
        outbox_.release();
        send_waiting();
      } else if (event->is_message()) {
        co_await take_message(std::move(event->data), 0, false);
      }
    }
    finish({msg::errc::server_died, "ended its stream of events"});
  }

  // ---- the end

  awaitable<void> stop_in_order([[maybe_unused]] std::shared_ptr<http_connection> self) {
    if (session_.has_begun() && !is_over_) {
      auto last = start(http_purpose::end, {}, {}); // bounded by its own time
      co_await last->until_head();
    }
    finish({msg::errc::server_died, "was left"});
  }

  void finish(msg::fault why) {
    if (std::exchange(is_over_, true))
      return;
    if (events_.ending)
      events_.ending();
    pauses_.end();
    for (auto& each : exchanges_)
      if (auto open = each.lock())
        open->cancel();
    outbox_.clear();
    asio::post(environment_.executor, [self = shared_from_this(), why = std::move(why)] { self->events_.closed(why); });
  }

  http_environment& environment_;
  asio::any_io_executor worker_;
  secret_mask mask_;
  http_session session_;
  connection_events events_;
  process::pauses pauses_;
  http_outbox outbox_;
  bool is_beginning_ = false;
  bool is_stopping_ = false;
  bool is_over_ = false;
  std::string refusal_;                                 ///< of Streamable HTTP
  std::map<uint64_t, exchange_ptr> requests_;           ///< by key, for whoever cancels them
  std::vector<std::weak_ptr<http_exchange>> exchanges_; ///< all that are open
};

} // namespace

std::shared_ptr<connection> open_http(http_environment& environment, http_target where, connection_events events) {
  auto made = std::make_shared<http_connection>(environment, std::move(where), std::move(events));
  made->run();
  return made;
}

} // namespace mcp
