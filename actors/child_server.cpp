#include "actors/child_server.hpp"

#include "messages/limits.hpp"
#include "process/offload.hpp"
#include "proxy/time_out.hpp"
#include "text/utf8.hpp"

#include <caf/all.hpp>
#include <spdlog/spdlog.h>

#include <algorithm>

namespace actors {

namespace limits = msg::limits;
using msg::errc;
using msg::fault;
using msg::server_state;

// ---- starting and ending ---------------------------------------------------------------------

/// errc::none: the server runs or is being started.
fault child_server_state::ensure_started() {
  if (state_ == server_state::stopping && !resting_ && !hung_up_)
    return fault_of(errc::shutting_down, "is being stopped");
  bool is_down = state_ != server_state::starting && state_ != server_state::ready && !resting_ && !hung_up_;
  auto why = is_down ? may_start() : fault{};
  if (why.code == errc::none)
    why = may_be_called();
  if (why.code != errc::none) {
    if (is_down)
      tell_running(false); // whoever sent us here believes that it runs now
    return why;
  }
  if (is_down)
    connect();
  if (state_ == server_state::backing_off) // it did not even take the first request
    return fault{errc::server_start_failed, last_error_}.at(entry_.name);
  return {};
}

void child_server_state::connect() {
  state_ = server_state::starting;
  ++generation_;
  ++starts_;
  ++open_processes_;
  starting_since_ = self_->clock().now();
  started_at_.push_back(starting_since_);
  if (started_at_.size() > options_.limits.starts_per_minute) // after a rest nobody asks whether it may start
    started_at_.pop_front();
  call_timer_set_ = place_timer_set_ = false;
  given_up_.clear();
  tell_running(true);
  garbage_lines_ = 0;
  first_non_protocol_line_.clear();
  stray_.clear();
  relist_wanted_ = false;
  auto opened = options_.connect(entry_, caf::actor_cast<msg::child_server_actor>(self_), generation_);
  record_state();
  if (!opened.ok()) // as a message to ourselves: the call that caused it has yet to be queued
    return self_->send(self_, msg::closed_atom::value, generation_,
                       fault{errc::server_start_failed, "could not be started: " + opened.error.message});
  connection_ = std::move(opened.value);
  protocol_ = std::make_unique<mcp::client_protocol>(entry_.name, callbacks());
  protocol_->start();
  set_timer(handshake_timer, options_.limits.start);
}

void child_server_state::listed(msg::outcome<msg::tool_list> result) {
  if (state_ == server_state::starting && !result.ok())
    return fail_start(std::move(result.error));
  if (!result.ok()) {
    spdlog::warn("[{}] {}", entry_.name, result.error.message);
    tools_are_stale_ = true;
    return release_waiting();
  }
  drop(std::exchange(tools_, std::move(result.value)));
  tools_are_stale_ = false;
  forget_contracts();
  tell_tools();
  if (state_ == server_state::starting)
    become_ready();
  if (relist_wanted_) // it changed while it was read
    set_timer(relist_timer, relist_pause());
  release_waiting();
}

/// The list is read and reviewed, or can not be read: the calls that waited for it go on.
void child_server_state::release_waiting() {
  if (is_reviewing())
    return;
  for (auto& call : std::exchange(waiting_, {}))
    check(std::move(call));
}

void child_server_state::become_ready() {
  state_ = server_state::ready;
  ready_since_ = self_->clock().now();
  last_error_.clear();
  record_state();
  if (waiting_.empty())
    breaker_->withdraw(); // only its tools were wanted: no call has been tried
  used();
  if (options_.limits.idle.count() > 0)
    set_timer(idle_timer, options_.limits.idle);
  for (auto& promise : std::exchange(want_tools_, {}))
    promise.deliver(msg::outcome<msg::tool_list>{tools_});
}

void child_server_state::fail_start(fault why) {
  ++generation_; // whatever this connection still reports is old
  if (connection_)
    connection_->kill();
  connection_.reset();
  back_off();
  last_error_ = why.message;
  record_state();
  spdlog::warn("{}", why.message);
  fail_waiting(why);
}

/// From here on it is not called; why it ends is told later.
void child_server_state::ending() {
  if (state_ != server_state::ready)
    return;
  hung_up_ = true;
  state_ = server_state::stopping;
}

void child_server_state::closed(uint64_t generation, const fault& reason) {
  --open_processes_;
  if (generation == generation_)
    lost(reason);
  if (open_processes_ > 0)
    return;
  tell_running(false);
  for (auto& promise : std::exchange(want_stop_, {}))
    promise.deliver(true);
}

void child_server_state::lost(const fault& reason) {
  connection_.reset();
  auto was = std::exchange(state_, server_state::idle);
  if (was == server_state::stopping && !std::exchange(hung_up_, false)) {
    bool is_wanted = !waiting_.empty() || !want_tools_.empty();
    if (!std::exchange(resting_, false) || !is_wanted)
      return record_state();
    for (auto& promise : std::exchange(want_stop_, {}))
      promise.deliver(false); // its place is not free after all
    return connect();
  }
  if (was == server_state::starting) {
    auto non_protocol_line = first_non_protocol_line_.empty() ? "" : "; it printed: " + first_non_protocol_line_;
    state_ = was;
    return fail_start(fault_of(errc::server_start_failed, reason.message + non_protocol_line));
  }
  if (self_->clock().now() - ready_since_ >= limits::child_healthy_after)
    failures_ = 0;
  back_off();
  auto why = fault_of(reason.code, reason.message);
  last_error_ = why.message;
  record_state();
  spdlog::warn("{}", why.message);
  fail_waiting(why); // first: the end of a listing would send them
  protocol_->fail_all(why);
}

void child_server_state::back_off() {
  breaker_->failed(self_->clock().now());
  auto shift = std::min(failures_++, 16u);
  auto whole = std::min(limits::child_backoff_max, limits::child_backoff_first * (1 << shift));
  auto ms = std::uniform_int_distribution<int64_t>{whole.count() / 2, whole.count()}(random_);
  state_ = server_state::backing_off;
  retry_at_ = self_->clock().now() + std::chrono::milliseconds{ms};
}

void child_server_state::tell_running(bool running) {
  if (options_.connector)
    self_->send(options_.connector, msg::running_atom::value, entry_.name, running);
}

caf::result<bool> child_server_state::stop() {
  resting_ = hung_up_ = false;
  auto why = fault_of(errc::shutting_down, "is being stopped");
  fail_waiting(why);
  if (connection_) {
    state_ = server_state::stopping;
    record_state();
    protocol_->fail_all(why);
    connection_->stop();
  }
  if (open_processes_ == 0)
    return true;
  auto promise = self_->make_response_promise<bool>();
  want_stop_.push_back(promise);
  return promise;
}

/// The actor ends with work open: every promise is answered, because CAF would not notice that it is dropped.
void child_server_state::end(const caf::error& reason) {
  auto why = fault_of(errc::shutting_down, "is no longer served");
  fail_waiting(why);
  if (protocol_)
    protocol_->fail_all(why);
  for (auto& [key, call] : std::exchange(in_flight_, {}))
    refuse(call, fault{why}.at(entry_.name, call.call.tool));
  for (auto& promise : std::exchange(want_stop_, {}))
    promise.deliver(true);
  for (auto& [generation, open] : std::exchange(open_pages_, {}))
    open.promise.deliver(true);
  if (connection_)
    connection_->kill();
  self_->quit(reason);
}

// ---- what the server sends -------------------------------------------------------------------

mcp::client_callbacks child_server_state::callbacks() {
  mcp::client_callbacks c;
  c.send = [this](msg::spliced_text message, int64_t id) { return connection_ && connection_->send(std::move(message), static_cast<uint64_t>(id)); };
  c.take_back = [this](int64_t id) { return connection_ && connection_->take_back(static_cast<uint64_t>(id)); };
  c.masked = [this](std::string text) { return masked(std::move(text)); };
  c.listed = [this](msg::outcome<msg::tool_list> result) {
    result.error.message = masked(std::move(result.error.message)); // of texts that are put together, numbers included
    listed(std::move(result));
  };
  c.answered = [this](msg::call_key key, msg::outcome<msg::document> result) { answer(key, masked(std::move(result))); };
  c.progressed = [this](msg::tool_progress progress) {
    auto found = in_flight_.find(progress.key);
    if (found != in_flight_.end() && found->second.caller)
      self_->send(caf::actor_cast<msg::progress_listener>(found->second.caller), msg::progress_atom::value, std::move(progress));
  };
  c.ended = [this](msg::call_key key) { place_free(key); };
  c.tools_changed = [this] {
    if (!std::exchange(relist_wanted_, true) && state_ == server_state::ready)
      set_timer(relist_timer, relist_pause());
  };
  c.dropped = [this](msg::tool_list tools) { drop(std::move(tools)); };
  c.logged = [this](std::string_view level, const std::string& text) {
    auto grave = level == "warning" || level == "error" || level == "critical" || level == "alert" || level == "emergency";
    spdlog::log(grave ? spdlog::level::warn : spdlog::level::debug, "[{}] {}: {}", entry_.name, level, text);
  };
  return c;
}

caf::result<bool> child_server_state::received(const msg::document& message) {
  garbage_lines_ = 0;
  first_non_protocol_line_.clear();
  if (options_.offload && message.text_bytes() > limits::json_inline_bytes_max && protocol_->is_tool_page(message))
    return read_page(message);
  auto problem = protocol_->receive(message);
  if (!problem.empty())
    spdlog::warn("[{}] {}", entry_.name, problem);
  return true;
}

/// On another thread, which also lets go of the answer.
caf::result<bool> child_server_state::read_page(const msg::document& answer) {
  auto page = std::make_shared<mcp::tool_page>();
  auto held = std::make_shared<msg::document>(answer);
  auto promise = self_->make_response_promise<bool>();
  open_pages_.insert_or_assign(generation_, open_page{page, promise});
  auto work = [page, held, server = entry_.name] {
    *page = mcp::read_tool_page(server, *held);
    *held = {};
  };
  auto me = caf::actor_cast<msg::child_server_actor>(self_);
  options_.offload(std::move(work), [me, page, server = entry_.name, generation = generation_](fault problem) {
    if (problem.code != errc::none) {
      *page = {};
      page->problem = std::move(problem).at(server);
    }
    caf::anon_send(me, msg::tools_atom::value, generation);
  });
  return promise;
}

void child_server_state::drop(msg::tool_list tools) const {
  if (mcp::is_long(tools))
    destroy_there(options_.offload, std::move(tools));
}

void child_server_state::page_read(uint64_t generation) {
  auto open = open_pages_.extract(generation);
  if (!open)
    return;
  if (generation == generation_ && protocol_)
    protocol_->take_tool_page(std::move(*open.mapped().page));
  open.mapped().promise.deliver(true);
}

void child_server_state::non_protocol_line(const std::string& line) {
  auto quote = text::quoted(line, limits::child_quote_bytes_max);
  if (++garbage_lines_ <= limits::child_garbage_lines_max)
    spdlog::warn("[{}] no JSON-RPC on its stdout: {}{}", entry_.name, quote,
                 garbage_lines_ == limits::child_garbage_lines_max ? "; more of that is not shown" : "");
  bool is_message = line.starts_with('{') || line.starts_with('['); // or meant as one
  if (is_message && protocol_->fail_broken(line, "it is no valid JSON: " + quote))
    return;
  stray_ = quote;
  if (first_non_protocol_line_.empty()) {
    first_non_protocol_line_ = quote;
    if (state_ == server_state::starting)
      set_timer(garbage_timer, limits::child_garbage_grace);
  }
}

void child_server_state::tick(timer which) {
  if (which == relist_timer && state_ == server_state::ready && relist_wanted_) {
    list_again();
  } else if (which == idle_timer) {
    rest_if_idle();
  } else if (which == call_timer) {
    end_late_calls();
  } else if (which == restart_timer) {
    start_again();
  } else if (which == place_timer) {
    free_places();
  } else if (state_ == server_state::starting && (which == handshake_timer || (which == garbage_timer && !first_non_protocol_line_.empty()))) {
    bool is_patience = which == handshake_timer;
    auto ms = (is_patience ? options_.limits.start : limits::child_garbage_grace).count();
    auto non_protocol_line = first_non_protocol_line_.empty() ? "" : "; it printed: " + first_non_protocol_line_;
    fail_start(fault_of(errc::server_start_failed, "did not answer the handshake within " + proxy::seconds_text(static_cast<uint64_t>(ms))
                                                     + (is_patience ? " (servers.startTimeoutMs)" : "") + non_protocol_line));
  }
}

void child_server_state::list_again() {
  if (protocol_->listing()) // its end sets the timer
    return;
  relist_wanted_ = false;
  protocol_->list_tools();
}

void child_server_state::set_timer(timer which, std::chrono::milliseconds after) {
  self_->delayed_send(self_, after, msg::tick_atom::value, generation_, static_cast<uint8_t>(which));
}

/// A fault of this server; `what` goes on from its name.
fault child_server_state::fault_of(errc code, const std::string& what) const {
  return fault{code, "server '" + entry_.name + "' " + what}.at(entry_.name);
}

msg::child_server_actor::behavior_type child_server_state::make_behavior(msg::server_entry entry, child_server_options options) {
  entry_ = std::move(entry);
  options_ = std::move(options);
  random_.seed(options_.jitter_seed);
  breaker_ = std::make_unique<proxy::circuit_breaker>(options_.limits.breaker);
  if (entry_.calls_max > 0)
    options_.limits.calls_at_once = entry_.calls_max;
  if (entry_.idle_ms > 0 || entry_.eager)
    options_.limits.idle = std::chrono::milliseconds{entry_.eager ? 0 : entry_.idle_ms};
  if (!entry_.unusable.empty()) {
    state_ = server_state::unusable;
    last_error_ = entry_.unusable;
  }
  self_->set_default_handler(caf::drop);
  self_->set_exit_handler([this](caf::exit_msg& m) { end(m.reason); });
  self_->set_exception_handler([this](std::exception_ptr& thrown) -> caf::error {
    spdlog::error("server '{}' can not be served any more, and is begun anew: {}", entry_.name, process::fault_of(thrown).message);
    end(caf::exit_reason::unhandled_exception); // nobody who waits is forgotten
    return caf::exit_reason::unhandled_exception;
  });
  return {
    [this](msg::call_atom, msg::tool_call& call) { return take_call(call); },
    [this](msg::cancel_atom, const msg::call_key& key) { cancel(key); },
    [this](msg::finish_atom, uint64_t run) { run_over(run); },
    [this](msg::tools_atom) { return give_tools(); },
    [this](msg::status_atom) { return status(); },
    [this](msg::phase_atom) {
      return msg::server_start{entry_.name, starting_ms(), stray_, unread_ms()};
    },
    [this](msg::stop_if_idle_atom) { return stop_if_idle(); },
    [this](msg::stop_atom) { return stop(); },
    [this](msg::checked_atom, const msg::call_key& key, fault& problem) { checked(key, std::move(problem)); },
    [this](msg::received_atom, uint64_t generation, const msg::document& message) {
      return generation == generation_ && protocol_ ? received(message) : caf::result<bool>{true};
    },
    [this](msg::tools_atom, uint64_t generation) { page_read(generation); },
    [this](msg::non_protocol_atom, uint64_t generation, const std::string& line) {
      if (generation == generation_ && protocol_)
        non_protocol_line(line);
      return true;
    },
    [this](msg::closed_atom, uint64_t generation) {
      if (generation == generation_)
        ending();
    },
    [this](msg::closed_atom, uint64_t generation, const fault& reason) { closed(generation, reason); },
    [this](msg::tick_atom, uint64_t generation, uint8_t which) {
      if (generation == generation_)
        tick(static_cast<timer>(which));
    },
  };
}

msg::child_server_actor::behavior_type child_server(msg::child_server_actor::stateful_pointer<child_server_state> self, msg::server_entry entry,
                                                    child_server_options options) {
  return self->state.make_behavior(std::move(entry), std::move(options));
}

} // namespace actors
