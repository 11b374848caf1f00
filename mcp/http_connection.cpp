#include "mcp/http_connection.hpp"

#include "mcp/http_answer.hpp"
#include "mcp/http_calls.hpp"
#include "mcp/http_exchanges.hpp"
#include "mcp/http_identity.hpp"
#include "mcp/http_inbox.hpp"
#include "mcp/http_new_session.hpp"
#include "mcp/http_outbox.hpp"
#include "mcp/http_own_stream.hpp"
#include "mcp/http_sent_message.hpp"
#include "mcp/http_session.hpp"
#include "mcp/http_sse_stream.hpp"
#include "mcp/http_verdict.hpp"
#include "mcp/secret_mask.hpp"
#include "messages/limits.hpp"
#include "messages/servers.hpp"
#include "process/offload.hpp"
#include "process/pauses.hpp"

#include <asio/co_spawn.hpp>
#include <asio/post.hpp>

#include <functional>
#include <string>
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
/// What is said in headers of one request: no server takes heads of more.
constexpr size_t labels_bytes_max = 64u << 10;

awaitable<msg::outcome<std::string>> written(const asio::any_io_executor& worker, const msg::spliced_text& message) {
  auto work = [message] { return message.text(); };
  if (message.text_bytes() <= limits::json_inline_bytes_max)
    co_return process::attempt(work);
  auto text = co_await process::offload(worker, std::move(work));
  co_return text;
}

http_call_kind kind_of(const request_labels& labels) {
  if (labels.is_empty())
    return http_call_kind::told;
  return labels.is_listen() ? http_call_kind::standing : http_call_kind::closing;
}

class http_connection final : public connection, public std::enable_shared_from_this<http_connection> {
public:
  http_connection(http_environment& environment, http_target where, connection_events events)
    : executor_(environment.executor),
      worker_(environment.worker()),
      mask_(where.secrets),
      quote_mask_([this](std::string text) { return mask_(std::move(text), true); }),
      refuse_(where.refuse),
      identity_(where.authorization, session_, where.secrets, mask_),
      session_(std::move(where)),
      events_(std::move(events)),
      pauses_(executor_),
      exchanges_(environment),
      inbox_({worker_, session_, calls_, outbox_, pauses_, events_, mask_}),
      streams_{exchanges_, session_, identity_, inbox_, quote_mask_},
      own_stream_(executor_, streams_) {}

  /// HTTP with SSE begins with a stream: it says where messages go to.
  void run() {
    if (!session_.is_sse())
      return;
    outbox_.hold();
    spawn(read_sse(shared_from_this()));
  }

  /// Of what has labels no notification is sent: the end of its stream says that a request is given up.
  bool send(msg::spliced_text message, uint64_t key, request_labels labels) override {
    if (is_over_ || is_stopping_ || (key == 0 && !labels.is_empty()))
      return true;
    if (!outbox_.push(std::move(message), key, std::move(labels)))
      return false;
    send_waiting();
    return true;
  }
  bool take_back(uint64_t key) override { return outbox_.take_back(key) || calls_.give_up(key); }

  bool says_labels() const override { return true; }
  milliseconds unread_for() override { return milliseconds{0}; }
  masking mask() const override {
    return [mask = mask_](std::string text) { return mask(std::move(text), false); };
  }
  std::string_view voice() const override { return "in what it sent"; }
  std::string login_wanted() const override {
    auto why = identity_.login_wanted();
    return why.empty() ? why : inbox_.told("server '" + session_.name() + "' " + why);
  }

  void stop() override {
    if (!std::exchange(is_stopping_, true))
      spawn(stop_in_order(shared_from_this()));
  }

  void kill() override { finish({msg::errc::server_died, "was left"}); }

private:
  // Coroutines take `self` so that the connection lives as long as they do.

  // ---- to the server

  void send_waiting() {
    while (!is_beginning_ && !is_over_) {
      auto next = outbox_.next();
      if (!next)
        break;
      calls_.begin(next->key, kind_of(next->labels));
      spawn(post(shared_from_this(), std::move(*next)));
    }
  }

  void spawn(awaitable<void> work) {
    asio::co_spawn(executor_, std::move(work), [self = shared_from_this()](std::exception_ptr failed) {
      if (failed) // else its calls would wait for ever
        self->finish({msg::errc::server_died, "can not be served any more: " + process::fault_of(failed).message});
    });
  }

  awaitable<void> post([[maybe_unused]] std::shared_ptr<http_connection> self, outgoing_message message) {
    sent_message sent{std::move(message)};
    auto writing = co_await written(worker_, sent.message.message);
    if (writing.ok() && sent.labels().bytes() > labels_bytes_max) {
      co_await inbox_.fail(sent.key(), "was not asked: what it wants said in headers has more than "
                                         + std::to_string(labels_bytes_max >> 10) + " KiB, which is the limit");
    } else if (writing.ok()) {
      sent.text = std::move(writing.value);
      if (!sent.is_labelled())
        session_.note_sent(sent.text, sent.key());
      if (sent.message.ends_handshake)
        session_.note_initialized(sent.text);
      co_await try_to_send(sent);
    } else {
      co_await inbox_.fail(sent.key(), "was not asked: " + writing.error.message);
    }
    calls_.end(sent.key());
    outbox_.has_left(sent.message);
    send_waiting();
  }

  awaitable<void> try_to_send(sent_message& sent) {
    bool is_to_be_sent = true;
    for (; is_to_be_sent && !is_over_ && !calls_.is_given_up(sent.key()); ++sent.tries) {
      co_await identity_.renew();
      if (is_over_ || calls_.is_given_up(sent.key()))
        break;
      sent.session = session_.number();
      sent.is_in_session = session_.has_begun() && !sent.is_labelled();
      sent.authorization = session_.authorization();
      auto asked = session_.request(sent.purpose(), sent.text, sent.labels());
      if (!sent.address.empty())
        asked.url = sent.address;
      auto refused = refuse_ ? refuse_(sent.labels().about) : std::nullopt;
      auto exchange = refused ? exchanges_.answered(std::move(*refused)) : exchanges_.start(std::move(asked));
      calls_.leaves(sent.key(), exchange);
      if (sent.message.ends_handshake) {
        co_await exchange->until_head(std::chrono::steady_clock::now() + http_end_of_handshake_max);
        listen_first(*exchange, sent); // some ask there what they ask in the middle of the first request
        outbox_.pass();
        send_waiting();
      }
      co_await exchange->until_head();
      outbox_.has_left(sent.message);
      send_waiting();
      is_to_be_sent = co_await take_answer(exchange, sent);
    }
  }

  /// True: the message is to be sent once more.
  awaitable<bool> take_answer(exchange_ptr exchange, sent_message& sent) {
    auto verdict = verdict_of(*exchange, sent.is_in_session);
    if (verdict == http_verdict::accepted) {
      auto said = sent.said();
      co_await identity_.accepted(std::move(said));
      own_stream_.server_works();
      co_await take_messages(exchange, sent);
      co_return false;
    }
    co_await exchange->until_quote();
    verdict = verdict_of(*exchange, sent.is_in_session); // what is said may be the reason
    bool is_repeated = false;
    if (!is_over_ && !calls_.is_given_up(sent.key()))
      is_repeated = co_await may_repeat(exchange, verdict, sent);
    if (!is_repeated && !is_over_)
      co_await refuse(exchange, verdict, sent);
    co_return is_repeated;
  }

  /// True: the server has done nothing for it, and is ready for it now. While it waits for that it can be taken back.
  awaitable<bool> may_repeat(exchange_ptr exchange, http_verdict verdict, sent_message& sent) {
    using enum http_verdict;
    if (verdict == moved || verdict == moved_for_good) {
      auto to = sent.tries < redirects_max ? session_.redirected(sent.address, exchange->fields()) : std::string{};
      if (!to.empty() && verdict == moved_for_good)
        session_.post_to(to);
      sent.address = to;
      co_return !to.empty();
    }
    if (verdict == unauthorized) {
      calls_.waits(sent.key());
      auto said = sent.said();
      sent.advice = co_await identity_.refused(exchange, std::move(said));
      if (sent.advice.is_to_be_repeated && sent.renewals++ == http_renewals_max)
        sent.advice = {false, false, "takes back every token before it carries out what it is asked", {}};
      co_return sent.advice.is_to_be_repeated && !is_over_;
    }
    if (sent.tries > 0 || (verdict != session_lost && verdict != later && verdict != unreachable))
      co_return false;
    calls_.waits(sent.key());
    if (verdict == session_lost) {
      bool has_begun = co_await begin_anew(sent.session);
      co_return has_begun;
    }
    co_await pauses_.wait(retry_after(exchange->fields()).value_or(connect_again_pause));
    co_return true;
  }

  awaitable<void> refuse(exchange_ptr exchange, http_verdict verdict, sent_message& sent) {
    auto why = refusal_of(*exchange, sent.advice, quote_mask_);
    if ((verdict == http_verdict::moved || verdict == http_verdict::moved_for_good) && sent.tries == redirects_max)
      why = redirected_too_often(*exchange, redirects_max, quote_mask_);
    if (verdict == http_verdict::unreachable) {
      calls_.waits(sent.key());
      die(msg::errc::server_died, std::move(why));
    } else if (session_.begins(sent.key()) && sent.advice.needs_login) {
      calls_.waits(sent.key());
      die(msg::errc::needs_login, std::move(why));
    } else if (session_.begins(sent.key()) && opening_refusal_.code != msg::errc::none) {
      calls_.waits(sent.key());
      die(opening_refusal_.code, opening_refusal_.message);
    } else if (sent.advice.needs_login && !sent.labels().is_discovery()) {
      co_await inbox_.fail(sent.key(), std::move(why), rpc_error::login_wanted);
    } else if (sent.is_labelled()) {
      co_await refuse_labelled(exchange, std::move(why), sent);
    } else if (session_.begins(sent.key()) && speaks_otherwise(*exchange)) {
      co_await inbox_.take(error_in(*exchange, sent.key()), sent.key(), body_kind::json);
    } else if (verdict == http_verdict::other_kind && session_.may_be_sse() && session_.begins(sent.key())) {
      session_.become_sse();
      refusal_ = std::move(why);
      outbox_.push_front({msg::spliced_text{sent.text}, sent.key(), sent.message.bytes});
      run();
    } else {
      co_await inbox_.fail(sent.key(), std::move(why));
    }
  }

  /// What a server of 2026-07-28 has against a request is an error of JSON-RPC, whatever the status. One that
  /// refuses us may do so only for what it does not know, so it is asked to `initialize` all the same.
  awaitable<void> refuse_labelled(exchange_ptr exchange, std::string why, const sent_message& sent) {
    bool is_for_us = sent.labels().is_discovery() && verdict_of(*exchange, false) == http_verdict::unauthorized;
    if (is_for_us)
      opening_refusal_ = {sent.advice.needs_login ? msg::errc::needs_login : msg::errc::server_died, why};
    auto error = is_for_us ? std::string{} : error_in(*exchange, sent.key());
    if (!error.empty()) {
      co_await inbox_.take(std::move(error), sent.key(), body_kind::json);
    } else {
      bool is_of_era = sent.labels().is_discovery() && tells_era(*exchange);
      auto code = is_of_era ? rpc_error::method_not_found : rpc_error::unanswered;
      co_await inbox_.fail(sent.key(), std::move(why), code);
    }
  }

  // ---- from the server

  /// All that comes in answer to a message.
  awaitable<void> take_messages(exchange_ptr exchange, const sent_message& sent) {
    if (sent.message.ends_handshake)
      listen_first(*exchange, sent);
    if (sent.key() == 0)
      co_return;
    auto problem = session_.begins(sent.key()) ? session_.take_head(exchange->fields()) : std::string{};
    if (!problem.empty()) {
      calls_.waits(sent.key());
      co_return die(msg::errc::protocol_violation, std::move(problem));
    }
    if (session_.is_sse())
      co_return calls_.posted(sent.key());
    http_answer_parts parts{streams_, calls_, pauses_};
    co_await read_answer(parts, std::move(exchange), sent);
  }

  /// Once the handshake is over.
  void listen_first(const http_exchange& exchange, const sent_message& sent) {
    bool is_over = !session_.is_sse() && verdict_of(exchange, sent.is_in_session) == http_verdict::accepted;
    if (is_over && !std::exchange(has_listened_, true))
      spawn(listen(shared_from_this()));
  }

  awaitable<void> listen([[maybe_unused]] std::shared_ptr<http_connection> self) { co_await own_stream_.listen(); }

  // ---- sessions

  /// True: there is another session. Else the connection has ended.
  awaitable<bool> begin_anew(uint64_t lost) {
    while (is_beginning_ && !is_over_)
      co_await pauses_.wait(connect_again_pause);
    if (is_over_ || session_.number() != lost)
      co_return !is_over_;
    is_beginning_ = true;
    session_.forget();
    own_stream_.leave();
    auto problem = co_await begin_session(worker_, exchanges_, session_, quote_mask_);
    is_beginning_ = false;
    if (!problem.empty()) {
      die(msg::errc::server_died, "has lost the session, and could begin no other: it " + problem);
      co_return false;
    }
    send_waiting();
    spawn(listen(shared_from_this()));
    co_await inbox_.tell_missed(); // it may be another server by now
    co_return !is_over_;
  }

  // ---- HTTP with SSE

  awaitable<void> read_sse([[maybe_unused]] std::shared_ptr<http_connection> self) {
    http_sse_stream stream{streams_};
    std::function<void()> may_send = [this] {
      outbox_.release();
      send_waiting();
    };
    auto end = co_await stream.read(std::move(may_send), refusal_);
    die(end.code, std::move(end.message));
  }

  // ---- the end

  awaitable<void> stop_in_order([[maybe_unused]] std::shared_ptr<http_connection> self) {
    if (session_.has_begun() && !is_over_) {
      auto last = exchanges_.start(session_.request(http_purpose::end)); // bounded by its own time
      co_await last->until_head();
    }
    finish({msg::errc::server_died, "was left"});
  }

  /// The server can not be used any more: all its calls hear why.
  void die(msg::errc code, std::string why) {
    if (calls_.may_be_carried_out())
      why += "; what it had been asked before, it may have carried out";
    finish({code, inbox_.told(std::move(why))});
  }

  void finish(msg::fault why) {
    if (std::exchange(is_over_, true))
      return;
    inbox_.end();
    own_stream_.end();
    if (events_.ending)
      events_.ending();
    pauses_.end();
    exchanges_.cancel();
    outbox_.clear();
    asio::post(executor_, [self = shared_from_this(), why = std::move(why)] { self->events_.closed(why); });
  }

  asio::any_io_executor executor_;
  asio::any_io_executor worker_;
  secret_mask mask_;   ///< also of what identity_ says
  masking quote_mask_; ///< of what is cut, perhaps within a secret
  std::function<std::optional<http::client_result>(const request_subject&)> refuse_;
  http_identity identity_;
  http_session session_;
  connection_events events_;
  process::pauses pauses_;
  http_outbox outbox_;
  http_calls calls_;
  http_exchanges exchanges_;
  http_inbox inbox_;
  http_stream_parts streams_;
  http_own_stream own_stream_;
  bool has_listened_ = false; ///< to the first session
  bool is_beginning_ = false;
  bool is_stopping_ = false;
  bool is_over_ = false;
  std::string refusal_;        ///< of Streamable HTTP
  msg::fault opening_refusal_; ///< of `server/discover`, for who we are
};

} // namespace

std::shared_ptr<connection> open_http(http_environment& environment, http_target where, connection_events events) {
  auto made = std::make_shared<http_connection>(environment, std::move(where), std::move(events));
  made->run();
  return made;
}

} // namespace mcp
