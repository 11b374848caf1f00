#include "actors/relay_session.hpp"

#include "messages/limits.hpp"
#include "text/utf8.hpp"

#include <caf/all.hpp>
#include <spdlog/spdlog.h>

#include <utility>

namespace actors {

using mcp::relay::timer;
using msg::errc;
using msg::fault;

relay_session_state::~relay_session_state() {
  if (relay_)
    relay_->stop_server();
}

mcp::relay::relay_callbacks relay_session_state::callbacks() {
  mcp::relay::relay_callbacks out;
  out.send = options_.send;
  out.room = options_.room;
  out.is_read = options_.is_read;
  out.now = [this] { return self_->clock().now(); };
  out.set_timer = [this](timer which, std::chrono::microseconds after) {
    self_->delayed_send(self_, after, msg::tick_atom::value, generation_, static_cast<uint8_t>(which));
  };
  out.parked_wait = options_.parked_wait;
  out.connect = [this] { connect(); };
  out.retire = options_.retire;
  out.said_headers = options_.said_headers;
  out.over = [this](const std::string& why) { end(why); };
  return out;
}

void relay_session_state::connect() {
  ++generation_;
  lines_.process_started();
  if (is_stopping_)
    return relay_->disconnected({errc::shutting_down, "is not started: the bridge is being stopped"});
  auto opened = options_.connect(options_.server, caf::actor_cast<msg::relay_session_actor>(self_), generation_);
  if (!opened.ok())
    return relay_->disconnected(opened.error);
  has_connection_ = true;
  relay_->connected(std::move(opened.value));
}

void relay_session_state::closed(uint64_t generation, const fault& why) {
  if (generation != generation_)
    return;
  has_connection_ = false;
  relay_->disconnected({why.code, why.message + lines_.last_text()});
  if (has_connection_) // it was to be asked otherwise
    return;
  for (auto& promise : std::exchange(want_stop_, {}))
    promise.deliver(true);
}

void relay_session_state::tick(uint64_t generation, timer which) {
  bool is_of_client = which == timer::parked || which == timer::parking;
  if (generation == generation_ || is_of_client)
    relay_->expired(which);
}

void relay_session_state::log(const std::string& text) {
  auto logged = allowance_.shown(text, self_->clock().now());
  if (!logged.empty())
    spdlog::warn("[{}] {}", options_.server.name, logged);
}

/// That may be meant as the answer to a request, which would wait for ever.
void relay_session_state::take_line(const std::string& line) {
  auto quote = text::quoted(line, msg::limits::child_quote_bytes_max);
  if (auto logged = lines_.logged(quote, "where messages are expected"); !logged.empty())
    log(logged);
  bool is_told = child::non_protocol_lines::may_be_message(line) && relay_->server_broke(line, quote);
  if (!is_told)
    lines_.keep(std::move(quote));
}

caf::result<bool> relay_session_state::stop() {
  is_stopping_ = true;
  relay_->end_subscriptions();
  relay_->stop_server();
  if (!has_connection_)
    return true;
  reply_promise<bool> promise{self_};
  want_stop_.push_back(promise);
  return promise;
}

void relay_session_state::end(const std::string& why) {
  if (is_stopping_)
    return;
  if (options_.over)
    options_.over(why);
  self_->quit();
}

msg::relay_session_actor::behavior_type relay_session_state::make_behavior(relay_session_options options) {
  options_ = std::move(options);
  self_->set_default_handler(caf::drop);
  relay_.emplace(options_.server.name, options_.clients, callbacks());
  return {
    [this](msg::received_atom, uint64_t generation, const msg::document& message, uint64_t during) {
      if (generation != generation_)
        return true;
      lines_.message_came();
      if (auto problem = relay_->server_says(message, during); !problem.empty())
        log(problem);
      return true;
    },
    [this](msg::non_protocol_atom, uint64_t generation, const std::string& line) {
      if (generation == generation_)
        take_line(line);
      return true;
    },
    [this](msg::closed_atom, uint64_t generation, const fault& why) { closed(generation, why); },
    [this](msg::tick_atom, uint64_t generation, uint8_t which) { tick(generation, static_cast<timer>(which)); },
    [this](msg::received_atom, const msg::document& message, uint64_t stream) {
      relay_->receive(message, stream);
      return true;
    },
    [this](msg::rejected_atom, int32_t code, const std::string& why, const msg::document& told) {
      relay_->reject(code, why, told);
      return true;
    },
    [this](msg::closed_atom, uint64_t stream) { relay_->cancel_stream(stream); },
    [this](msg::closed_atom) { self_->quit(); },
    [this](msg::stop_atom) { return stop(); },
  };
}

msg::relay_session_actor::behavior_type
relay_session(msg::relay_session_actor::stateful_pointer<relay_session_state> self, relay_session_options options) {
  return self->state.make_behavior(std::move(options));
}

} // namespace actors
