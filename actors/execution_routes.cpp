#include "actors/execution_routes.hpp"

#include "mcp/trace.hpp"
#include "messages/limits.hpp"
#include "proxy/memory/passing_owners.hpp"

#include <caf/all.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

namespace actors {

namespace limits = msg::limits;
using msg::errc;
using msg::fault;
using std::chrono::duration_cast;
using std::chrono::microseconds;

namespace {

/// How long the connector may take to say what starts. It answers at once; the run's answer is due 200 ms after the
/// deadline.
constexpr std::chrono::milliseconds starts_answer_max{100};

} // namespace

/// What others call on our thread, once: the answer comes as a message, and `then` hears of it.
execution_routes::answer_to execution_routes::by_message(answer_to then) {
  auto number = ++last_awaited_;
  awaited_.emplace(number, std::move(then));
  return [me = caf::actor_cast<msg::execution_actor>(self_), number](msg::outcome<msg::document> answer) {
    caf::anon_send(me, msg::reply_atom::value, number, std::move(answer));
  };
}

/// Has it made on another thread; `then` hears what was made, or why it could not be.
void execution_routes::elsewhere(std::function<msg::outcome<msg::document>()> make, answer_to then) {
  auto made = std::make_shared<msg::outcome<msg::document>>();
  options_.offload([made, make = std::move(make)] { *made = make(); },
                   [made, tell = by_message(std::move(then))](msg::fault problem) {
                     tell(problem.code == errc::none ? std::move(*made)
                                                     : msg::outcome<msg::document>{std::move(problem)});
                   });
}

void execution_routes::later(std::chrono::milliseconds pause, std::function<void()> then) {
  auto number = ++last_awaited_;
  awaited_.emplace(number, [then = std::move(then)](const msg::outcome<msg::document>&) { then(); });
  self_->delayed_send(self_, pause, msg::reply_atom::value, number, msg::outcome<msg::document>{});
}

void execution_routes::heard(uint64_t number, msg::outcome<msg::document> answer) {
  if (auto then = awaited_.extract(number))
    then.mapped()(std::move(answer));
}

/// Without a time limit of its own: CAF keeps the limits of answered requests until they are over, 56 MB of 300,000
/// calls in a minute. The run's deadline ends what is not answered.
template <class Answer, class Whom, class Then, class... What>
void execution_routes::ask(const Whom& whom, fault silence, Then then, What... what) {
  self_->request(whom, caf::infinite, std::move(what)...)
    .then([then](Answer& answer) { then(std::move(answer)); }, [then, silence](caf::error&) { then(silence); });
}

run::call_routes execution_routes::of_calls() {
  run::call_routes to;
  to.now = [this] { return self_->clock().now(); };
  to.call = [this](msg::tool_request call, auto then) {
    if (options_.watch_calls)
      options_.watch_calls(call.tool, call.arguments);
    call.key.run = request_.id;
    call.asker = {request_.client, request_.abilities, request_.log};
    call.allowed = request_.allowed;
    call.faults = request_.faults;
    call.wants_progress = request_.wants_progress;
    call.trace = mcp::headers_of(request_.trace, call.key.call);
    call.patience_ms = time_.patience_left_ms(self_->clock().now());
    ask<msg::outcome<msg::tool_result>>(
      options_.connector, {errc::server_died, "what serves the tool has ended before it answered; try again"},
      std::move(then), msg::call_atom::value, std::move(call));
  };
  to.may_log_in = [this] { return listener_ && request_.abilities.opens_urls; };
  to.cancel = [this](uint64_t id) {
    self_->send(options_.connector, msg::cancel_atom::value, msg::call_key{request_.id, id});
  };
  to.elsewhere = [this](auto make, auto then) { elsewhere(std::move(make), std::move(then)); };
  to.observe = [this](msg::tool_ref tool, const msg::document& result) {
    tool.run = request_.id;
    self_->send(options_.connector, msg::observe_atom::value, std::move(tool), result);
  };
  to.keep = [this](const msg::document& arguments) {
    return options_.audit ? run::keep_arguments(arguments, options_.offload) : nullptr;
  };
  to.record = [this](const run::open_call& call, const fault& error) {
    if (options_.audit)
      record(record_.of_call(request_, call, error, duration_cast<microseconds>(self_->clock().now() - call.begun)));
  };
  if (options_.audit) {
    to.record_open = [this](const run::open_call& call) { record(run::record::of_open(request_, call)); };
    to.look_again = [this](std::chrono::milliseconds pause) {
      self_->delayed_send(self_, pause, msg::tick_atom::value);
    };
  }
  to.progress = [this](msg::run_progress how_far) { report_progress(std::move(how_far)); };
  return to;
}

void execution_routes::record(std::optional<msg::audit_event> event) {
  if (event)
    self_->send(options_.audit, msg::audit_atom::value, std::move(*event));
}

void execution_routes::record_begin() {
  if (options_.audit)
    record(record_.of_begin(request_));
}

void execution_routes::record_end(const msg::run_report& report, const run::guest_facts& guest) {
  if (options_.audit)
    record(run::record::of_run(request_, report, guest));
}

run::request_routes execution_routes::of_requests() {
  run::request_routes to;
  to.enter_large = [this](std::function<void()> begin) {
    if (options_.large_lists)
      return options_.large_lists->enter(request_.client, std::move(begin));
    begin();
    return resilience::shared_turns::turn{};
  };
  to.search = [this](msg::tool_query query, auto then) {
    query.allowed = request_.allowed;
    ask<msg::outcome<msg::tool_matches>>(options_.connector, {errc::internal, "the search did not answer"},
                                         std::move(then), msg::search_atom::value, std::move(query));
  };
  to.describe = [this](msg::tool_ref tool, auto then) {
    tool.run = request_.id;
    ask<msg::outcome<msg::tool_info>>(options_.connector, {errc::internal, "the connector did not answer"},
                                      std::move(then), msg::describe_atom::value, std::move(tool), request_.allowed);
  };
  to.list_servers = [this](auto then) {
    ask<msg::server_list>(options_.connector, {errc::internal, "the connector did not answer"}, std::move(then),
                          msg::servers_atom::value, request_.allowed);
  };
  to.remember = [this](msg::memory_request what, auto then) {
    what.scope.client =
      request_.owner.empty() ? memory::passing_free_name(run::memory_client(request_.client_name)) : request_.owner;
    ask<msg::outcome<msg::document>>(options_.memory, {errc::internal, "the memory did not answer"}, std::move(then),
                                     msg::memory_atom::value, std::move(what));
  };
  to.read_output = [this](msg::artifact_query query, auto then) {
    ask<msg::outcome<msg::artifact_answer>>(
      options_.outputs, {errc::internal, "the store of outputs did not answer"}, std::move(then),
      msg::outputs_atom::value,
      msg::artifact_request{msg::artifact_operation::read, {}, std::move(query), request_.id, request_.owner});
  };
  to.begin_sampling = [this] { return begin_sampling(); };
  to.is_sampling = [this] { return sampling_ != nullptr; };
  to.ask_model = [this](msg::sample_request question, auto then) {
    ask<msg::outcome<msg::document>>(sampling_, {errc::internal, "llm: the question was not answered"}, std::move(then),
                                     msg::sample_atom::value, std::move(question));
  };
  to.next_piece = [this](uint64_t stream, auto then) {
    ask<msg::outcome<msg::document>>(sampling_, {errc::internal, "llm: the stream was not answered"}, std::move(then),
                                     msg::next_atom::value, stream);
  };
  to.leave_stream = [this](uint64_t stream) { self_->send(sampling_, msg::cancel_atom::value, stream); };
  to.elsewhere = [this](auto make, auto then) { elsewhere(std::move(make), std::move(then)); };
  return to;
}

/// The timers that were set before come too early now.
void execution_routes::watch_time() {
  auto left = [now = self_->clock().now()](auto end) { return std::max<std::chrono::nanoseconds>(end - now, {}); };
  self_->delayed_send(self_, left(time_.end_of_patience()), msg::nearly_over_atom::value);
  self_->delayed_send(self_, left(time_.end()), msg::deadline_atom::value);
}

void execution_routes::note_end() {
  *end_ = time_.end();
  if (time_.is_standing())
    *end_ += time_.standstill_left(self_->clock().now());
}

run::question_routes execution_routes::of_questions() {
  run::question_routes to;
  to.ask = [this](uint64_t number, msg::server_question asked, auto then) {
    if (!listener_)
      return then(fault{errc::not_allowed, "there is no client that could be asked"});
    msg::call_key key{request_.id, number};
    auto wait = std::min(options_.question_wait, time_.standstill_left(self_->clock().now()));
    if (wait.count() == 0)
      return then(fault{errc::limit_exceeded, "this run has waited for answers for "
                                                + std::to_string(run::deadline::standstill_max.count() / 60'000)
                                                + " minutes, which is the limit"});
    self_->request(listener_, wait, msg::question_atom::value, key, std::move(asked))
      .then([then](msg::outcome<msg::document>& said) { then(std::move(said)); },
            [this, then, key, wait](caf::error&) {
              self_->send(listener_, msg::question_atom::value, msg::cancel_atom::value, key);
              then(fault{errc::call_timeout, "the client has not answered within " + std::to_string(wait.count())
                                               + " ms (runs.questionTimeoutMs)"});
            });
  };
  to.withdraw = [this](uint64_t number) {
    self_->send(listener_, msg::question_atom::value, msg::cancel_atom::value, msg::call_key{request_.id, number});
  };
  to.finish = [this](uint64_t number, bool is_there) {
    self_->send(listener_, msg::question_atom::value, msg::finish_atom::value, msg::call_key{request_.id, number},
                is_there);
  };
  to.stop_clock = [this] {
    time_.stand_still(self_->clock().now());
    note_end();
  };
  to.start_clock = [this] {
    time_.go_on(self_->clock().now());
    watch_time();
    note_end();
  };
  to.record = [this](const msg::server_question& asked, const msg::outcome<msg::document>& said) {
    if (options_.audit)
      record(run::record::of_question(request_, asked, said));
  };
  return to;
}

void execution_routes::log_in(const std::string& server, std::function<void(msg::outcome<bool>)> then) {
  msg::login_request wanted{request_.id, server, {request_.client, request_.abilities}};
  ask<msg::outcome<bool>>(options_.connector, {errc::server_died, "what serves it has ended meanwhile"},
                          std::move(then), msg::login_atom::value, std::move(wanted));
}

run::check_routes execution_routes::of_check() {
  run::check_routes to;
  to.known_tools = [this](auto then) {
    msg::tool_query all;
    all.allowed = request_.allowed;
    self_->request(options_.connector, time_.timeout(), msg::search_atom::value, std::move(all))
      .then(
        [then](msg::outcome<msg::tool_matches>& known) {
          then(known.ok() ? std::move(known.value.tools) : msg::tool_list{});
        },
        [then](caf::error&) { then({}); });
  };
  if (options_.check_types)
    to.check_types = [this](msg::type_check_request what, auto then) -> std::function<void()> {
      type_check_options o{options_.check_types, request_.client, caf::actor_cast<msg::execution_actor>(self_)};
      auto checker = self_->spawn(type_check, std::move(o));
      ask<msg::outcome<msg::document>>(checker, {errc::internal, "the types were not checked"}, std::move(then),
                                       msg::run_atom::value, std::move(what));
      return [checker] { caf::anon_send_exit(checker, caf::exit_reason::user_shutdown); };
    };
  to.elsewhere = [this](auto make, auto then) { elsewhere(std::move(make), std::move(then)); };
  return to;
}

/// All open calls, with what is known of the start of their servers.
void execution_routes::ask_what_starts(std::vector<run::waiting> open,
                                       std::function<void(const std::vector<run::waiting>&)> then) {
  auto calls = std::make_shared<std::vector<run::waiting>>(std::move(open));
  if (calls->empty())
    return then(*calls);
  self_->request(options_.connector, starts_answer_max, msg::phase_atom::value, run::tools_of(*calls, request_.id))
    .then(
      [calls, then](const std::vector<msg::server_start>& starts) {
        run::add_starts(*calls, starts);
        then(*calls);
      },
      [calls, then](caf::error&) { then(*calls); });
}

/// What the program itself does is asked only where nothing of it is open.
void execution_routes::ask_what_is_awaited(const msg::sandbox_actor& sandbox, std::vector<run::waiting> open,
                                           size_t others, std::function<void(const proxy::waited_for&)> then) {
  ask_what_starts(std::move(open), [this, sandbox, others, then](const std::vector<run::waiting>& calls) {
    auto awaited = std::make_shared<proxy::waited_for>();
    for (auto& each : calls)
      awaited->calls.push_back(each.call);
    awaited->others = others;
    awaited->has_network = !request_.wanted.net.empty();
    if (!calls.empty() || others > 0)
      return then(*awaited);
    if (!sandbox) { // it was lost, and another one has not come
      awaited->has_begun = false;
      return then(*awaited);
    }
    self_->request(sandbox, starts_answer_max, msg::phase_atom::value)
      .then(
        [awaited, then](bool has_begun) {
          awaited->has_begun = has_begun;
          then(*awaited);
        },
        [awaited, then](caf::error&) { then(*awaited); });
  });
}

/// errc::none: there is a session.
fault execution_routes::begin_sampling() {
  if (sampling_)
    return {};
  if (!options_.sampling)
    return {errc::not_allowed, "Sampling not enabled by this server"};
  if (auto why = may_sample(*options_.sampling, request_); why.code != errc::none)
    return why;
  sampling_session_options o{*options_.sampling,
                             caf::actor_cast<msg::execution_actor>(self_),
                             listener_,
                             options_.audit,
                             [end = end_] { return *end; },
                             options_.offload};
  note_end();
  sampling_ = self_->spawn(sampling_session, std::move(o), request_);
  return {};
}

/// At most one message in each interval; what falls between is in the next one's numbers.
void execution_routes::report_progress(msg::run_progress how_far) {
  auto now = self_->clock().now();
  if (!request_.wants_progress || !listener_ || now - last_progress_ < limits::progress_interval)
    return;
  last_progress_ = now;
  how_far.run = request_.id;
  self_->send(listener_, msg::progress_atom::value, std::move(how_far));
}

} // namespace actors
