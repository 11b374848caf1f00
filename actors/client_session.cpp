#include "actors/client_session.hpp"

#include "actors/client/being_stopped.hpp"
#include "actors/client/patience.hpp"
#include "actors/client/scarce_memory.hpp"
#include "audit/refusal.hpp"
#include "mcp/own_requests.hpp"
#include "mcp/trace.hpp"
#include "proxy/artifacts/resource.hpp"
#include "proxy/surface/capabilities.hpp"
#include "proxy/surface/instructions.hpp"
#include "proxy/surface/resources.hpp"
#include "text/utf8.hpp"

#include <boost/json/value.hpp>
#include <caf/all.hpp>

#include <limits>
#include <utility>

namespace actors {

namespace json = boost::json;
namespace limits = msg::limits;
using client::answer_timeout;
using client::resource_list_timeout;
using client::resource_read_timeout;
using msg::errc;
using msg::fault;
using std::chrono::milliseconds;
using surface::tool_kind;

namespace {

/// How the owner of who has a token begins.
constexpr std::string_view token_owner = "token ";
/// Whose tick is for calls whose client does not come back with answers.
constexpr auto parked_calls = std::numeric_limits<mcp::request_number>::max();

/// All of it outlives the routes.
client::question_routes routes_of_questions(msg::client_session_actor::pointer self, mcp::server_protocol& protocol,
                                            const msg::admission_actor& admission) {
  client::question_routes to;
  to.client_of = [&protocol](mcp::request_number run) -> const mcp::requester& { return protocol.asker(run); };
  to.ask = [&protocol](mcp::request_number run, std::string_view method, const msg::document& params, auto done) {
    return protocol.ask(run, method, params, std::move(done));
  };
  to.withdraw = [&protocol](uint64_t question, std::string_view reason) { protocol.withdraw(question, reason); };
  to.tell = [&protocol](mcp::request_number run, std::string_view method, const json::object& params) {
    protocol.questions().tell(run, method, params);
  };
  to.rest = [self, &admission](mcp::request_number run, auto then) {
    self->request(admission, answer_timeout, msg::rest_atom::value, run)
      .then([then](bool may) { then(may); }, [then](caf::error&) { then(false); });
  };
  to.go_on = [self, &admission](mcp::request_number run) { self->send(admission, msg::go_on_atom::value, run); };
  return to;
}

} // namespace

// ---- what a client asks ----------------------------------------------------------------------

mcp::server_callbacks client_session_state::callbacks() {
  mcp::server_callbacks out;
  out.send = options_.send;
  out.room = options_.room;
  out.is_read = options_.is_read;
  out.list_tools = [this](mcp::revision r) {
    return msg::document{
      surface::tool_list({options_.shown, options_.form, intake_->runtimes(), r, options_.run_limits.bridge})};
  };
  out.call_tool = [this](const mcp::tool_request& request) { call_tool(request); };
  out.list_resources = [this](number n) { list_resources(n); };
  out.read_resource = [this](number n, const std::string& uri) { read_resource(n, uri); };
  out.list_resource_templates = [] { return msg::document{surface::resource_templates()}; };
  out.cancelled = [this](number n) { cancelled(n); };
  out.parked_wait = options_.parked_wait;
  out.now = [this] { return self_->clock().now(); };
  out.look_again = [this](milliseconds later) {
    self_->delayed_send(self_, later, msg::tick_atom::value, parked_calls);
  };
  return out;
}

mcp::server_identity client_session_state::identity() const {
  mcp::server_identity out{std::string{mcp::own_program_name}, CODE_EXECUTOR_VERSION, {}, options_.lists_resources};
  out.numbers = options_.numbers;
  out.instructions = [names = options_.server_names] {
    return surface::instructions(names ? names() : std::vector<std::string>{});
  };
  return out;
}

void client_session_state::call_tool(const mcp::tool_request& request) {
  auto* t = surface::find_tool(request.name);
  if (!t)
    return protocol_->respond_error(request.number,
                                    {mcp::rpc_error::invalid_params, surface::unknown_tool_text(request.name), {}});
  auto& arguments = request.arguments.value().get_object();
  if ((options_.is_nested || request.is_of_a_run) && t->kind != tool_kind::health)
    return refuse_nested(request.number, *t, arguments);
  switch (t->kind) {
    case tool_kind::run: return run(*t, request);
    case tool_kind::search_tools: return search_tools(request.number, arguments);
    case tool_kind::get_tool_signature: return get_tool_signature(request.number, arguments);
    case tool_kind::list_servers: return list_servers(request.number, arguments);
    case tool_kind::health: return health(request.number, arguments);
  }
}

void client_session_state::list_resources(number n) {
  auto list = [this, n](const std::vector<msg::kept_artifact>& kept) {
    client::work_for(*protocol_, n, [&] { respond_with(n, msg::document{surface::resource_list(kept)}); });
  };
  answer_at_stop(n, [list] { list({}); });
  msg::artifact_request wanted;
  wanted.owner = options_.owner;
  self_->request(options_.outputs, resource_list_timeout, msg::outputs_atom::value, wanted)
    .then([list](msg::outcome<msg::artifact_answer>& answer) { list(answer.value.kept); },
          [list](caf::error&) { list({}); });
}

void client_session_state::read_resource(number n, const std::string& uri) {
  if (uri == surface::capabilities_uri)
    return respond_with(n, msg::document{surface::capabilities_contents()});
  auto unknown = [this, n, shown = text::quoted(uri, limits::pattern_bytes_max)] {
    respond_error(n, {mcp::rpc_error::resource_not_found, "Unknown resource: " + shown, json::object{{"uri", shown}}});
  };
  if (uri.size() > limits::pattern_bytes_max)
    return unknown();
  auto failed = [this, n](const std::string& why) { respond_error(n, {mcp::rpc_error::internal_error, why, {}}); };
  msg::artifact_query query;
  query.handle = artifacts::handle_of(uri);
  if (query.handle.empty())
    return unknown();
  answer_at_stop(n, [failed] { failed(client::being_stopped().message); });
  msg::artifact_request wanted{msg::artifact_operation::fetch, {}, std::move(query), 0, options_.owner};
  self_->request(options_.outputs, resource_read_timeout, msg::outputs_atom::value, std::move(wanted))
    .then(
      [this, n, unknown, failed](msg::outcome<msg::artifact_answer>& answer) {
        if (answer.ok())
          return client::work_for(*protocol_, n, [&] { respond_with(n, answer.value.value); });
        if (answer.error.code == errc::unknown_handle)
          return unknown();
        failed(answer.error.message);
      },
      [failed](caf::error&) { failed("the store of outputs did not answer"); });
}

void client_session_state::cancelled(number n) {
  is_answered(n);
  if (checking_.erase(n) == 0) // else admission does not know of the run yet
    self_->send(options_.admission, msg::cancel_atom::value, n);
}

// ---- its tools -------------------------------------------------------------------------------

void client_session_state::refuse_nested(number n, const surface::tool& t, const json::object& arguments) {
  auto why = client::nested_refusal();
  if (t.kind != tool_kind::run) {
    record(audit::refused_request(n, client_name(n), why));
    return fail(n, why);
  }
  record(audit::refused_program(n, client_name(n), why, t.language, arguments));
  respond(n, surface::refused_run(t, why, intake_->format_of(t)));
}

void client_session_state::run(const surface::tool& t, const mcp::tool_request& request) {
  auto n = request.number;
  auto& arguments = request.arguments.value().get_object();
  auto taken = intake_->take(t, arguments);
  if (taken.refused.code != errc::none) {
    record(audit::refused_program(n, client_name(n), taken.refused, t.language, arguments));
    return respond(n, surface::refused_run(t, taken.refused, taken.present.format));
  }
  taken.present.chars_max = recipient(n).chars_max(options_.chars_max);
  auto& run = taken.request;
  run.id = n;
  run.wants_progress = request.wants_progress;
  if (run.wants_progress) { // from the request on: it may wait for a place first
    told_.begin(n, self_->clock().now());
    self_->delayed_send(self_, limits::progress_heartbeat, msg::tick_atom::value, n);
  }
  run.client = options_.client;
  run.owner = options_.owner;
  run.client_name = client_name(n);
  run.abilities = protocol_->asker(n).abilities;
  run.log = protocol_->asker(n).log;
  run.trace = request.trace;
  mcp::begin_trace(run.trace);
  if (taken.present.servers.empty())
    start_run(t, std::move(run), std::move(taken.present));
  else
    start_run_of_known_servers(t, std::move(run), std::move(taken.present));
}

void client_session_state::start_run_of_known_servers(const surface::tool& t, msg::run_request run,
                                                      surface::presentation present) {
  auto n = run.id;
  auto format = present.format;
  checking_.insert(n);
  answer_at_stop(n, [this, n, &t, format] {
    checking_.erase(n);
    respond(n, surface::refused_run(t, client::being_stopped(), format));
  });
  self_->request(options_.connector, answer_timeout, msg::servers_atom::value)
    .then(
      [this, n, &t, run = std::move(run), present = std::move(present)](msg::server_list& known) mutable {
        if (checking_.erase(n) == 0) // cancelled
          return;
        auto why = client::check_servers(present.servers, known);
        if (why.code == errc::none)
          return client::work_for(*protocol_, n, [&] { start_run(t, std::move(run), std::move(present)); });
        record(audit::refused_request(n, client_name(n), why));
        respond(n, surface::refused_run(t, why, present.format));
      },
      [this, n, &t, format](caf::error&) {
        checking_.erase(n);
        respond(n, surface::refused_run(t, fault{errc::internal, "the connector did not answer"}, format));
      });
}

void client_session_state::start_run(const surface::tool& t, msg::run_request run, surface::presentation present) {
  auto n = run.id;
  milliseconds timeout{run.timeout_ms};
  auto format = present.format;
  answer_at_stop(n, [this, n, &t, format] { respond(n, surface::refused_run(t, client::being_stopped(), format)); });
  auto listener = caf::actor_cast<msg::run_listener>(self_);
  // Without a time limit: admission has one, and answers when it ends.
  self_->request(options_.admission, caf::infinite, msg::run_atom::value, std::move(run), std::move(listener))
    .then(
      [this, n, &t, timeout, present = std::move(present)](msg::run_report& report) mutable {
        if (!report.is_recorded)
          record(audit::unrecorded_run(n, client_name(n), fault{report.error.code, report.error.message}));
        client::work_for(*protocol_, n, [&] {
          keep_then_respond(n, timeout,
                            client::outgoing_report{t, std::move(report), std::move(present), options_.owner});
        });
      },
      [this, n, &t, format](caf::error&) {
        respond(n, surface::refused_run(t, fault{errc::internal, "the run was not answered"}, format));
      });
}

void client_session_state::keep_then_respond(number n, milliseconds timeout, client::outgoing_report report) {
  auto large = report.take_large();
  if (large.empty())
    return respond(n, report.result());
  auto patience = report.patience(timeout);
  auto shared = std::make_shared<client::outgoing_report>(std::move(report));
  // What the store has not begun then, it never writes.
  answer_at_stop(n, [this, n, shared] { respond(n, shared->result(client::being_stopped())); });
  msg::artifact_request wanted{msg::artifact_operation::keep, std::move(large), {}};
  self_->request(options_.outputs, patience, msg::outputs_atom::value, std::move(wanted))
    .then(
      [this, n, shared](msg::outcome<msg::artifact_answer>& kept) {
        client::work_for(*protocol_, n, [&] { respond(n, shared->result(std::move(kept))); });
      },
      [this, n, shared](caf::error&) {
        client::work_for(*protocol_, n, [&] { respond(n, shared->result_in_time()); });
      });
}

// ---- what it is told -------------------------------------------------------------------------

surface::recipient client_session_state::recipient(number n) const {
  auto& asker = protocol_->asker(n);
  return {asker.name, asker.spoken, options_.form};
}

/// The result of a call of a tool.
void client_session_state::respond(number n, json::object result) {
  auto fitted = recipient(n).fitted(std::move(result));
  mcp::complete(fitted, protocol_->asker(n), protocol_->server_info());
  protocol_->respond(n, msg::document{json::value(std::move(fitted))});
  is_answered(n);
}

/// Of kept outputs, which come and go.
void client_session_state::respond_with(number n, const msg::document& result) {
  protocol_->respond(n, result, {mcp::cache_hint::scope::asker, milliseconds{0}});
  is_answered(n);
}

void client_session_state::respond_error(number n, const mcp::rpc_refusal& why) {
  protocol_->respond_error(n, why);
  is_answered(n);
}

void client_session_state::is_answered(number n) {
  told_.end(n);
  waiting_.erase(n);
  if (waiting_.empty())
    for (auto& promise : std::exchange(want_stop_, {}))
      promise.deliver(true);
}

void client_session_state::fail(number n, const fault& why) { respond(n, surface::error_result(why)); }

/// For the record: its name, as it gave it, the number of its connection, and the name of its token.
std::string client_session_state::client_name(number n) const {
  auto& owner = options_.owner;
  return protocol_->asker(n).name + "#" + std::to_string(options_.connection)
         + (owner.starts_with(token_owner) ? "@" + owner.substr(token_owner.size()) : std::string{});
}

void client_session_state::record(msg::audit_event event) {
  if (options_.audit)
    self_->send(options_.audit, msg::audit_atom::value, std::move(event));
}

void client_session_state::tell(number n, const std::optional<client::told_runs::notice>& notice) {
  if (notice)
    protocol_->progress(n, notice->seconds, notice->text);
}

/// Of a request that goes on, or of what is none.
void client_session_state::tick(number n) {
  if (n == of_no_request)
    return answer_all();
  if (n == parked_calls)
    return protocol_->questions().end_parked();
  auto beat = told_.beat(n, self_->clock().now());
  if (!beat)
    return;
  self_->delayed_send(self_, beat->again, msg::tick_atom::value, n);
  tell(n, beat->said);
}

// ---- behaviour -------------------------------------------------------------------------------

msg::client_session_actor::behavior_type client_session_state::make_behavior(client_session_options options) {
  options_ = std::move(options);
  intake_.emplace(options_.run_limits, options_.typescript_problem, options_.python_problem);
  protocol_ = std::make_unique<mcp::server_protocol>(identity(), callbacks());
  completions_ = std::make_unique<client::completion_requests>(*protocol_);
  self_->set_default_handler(caf::drop);
  questions_ = std::make_unique<client::server_questions>(routes_of_questions(self_, *protocol_, options_.admission));
  using model_answer = msg::outcome<msg::model_answer>;
  using answer = msg::outcome<msg::document>;
  return {
    [this](msg::received_atom, const msg::document& message, uint64_t stream) {
      client::try_to("take a message of the client", [&] { protocol_->receive(message, stream); });
      return true;
    },
    [this](msg::rejected_atom, int32_t code, const std::string& why, const msg::document& told) {
      client::try_to("refuse a message of the client", [&] { protocol_->reject(code, why, told); });
      return true;
    },
    [this](msg::closed_atom, uint64_t stream) { protocol_->cancel_stream(stream); },
    [this](msg::closed_atom) {
      for (auto& [n, answer] : std::exchange(waiting_, {})) // nothing is read any more that is sent to it
        cancelled(n);
      self_->quit();
    },
    [this](msg::stop_atom) { return stop(); },
    [this](msg::tick_atom, uint64_t n) { client::try_to("look after a request", [&] { tick(n); }); },
    [this](msg::progress_atom, const msg::run_progress& p) {
      client::try_to("tell of a run", [&] { tell(p.run, told_.progressed(p, self_->clock().now())); });
    },
    [this](msg::log_atom, const msg::server_log& line) {
      client::try_to("tell what a server logs", [&] { protocol_->tell_log(line.key.run, line); });
    },
    [this](msg::sample_atom, msg::call_key key, const msg::model_request& request) -> caf::result<model_answer> {
      reply_promise<model_answer> promise{self_};
      client::try_to("ask the client's model", [&] {
        completions_->ask(key, request, [promise](const model_answer& answer) { promise.deliver(answer); });
      });
      return promise;
    },
    [this](msg::cancel_atom, msg::call_key key) { completions_->give_up(key); },
    [this](msg::question_atom, msg::call_key key, msg::server_question& asked) -> caf::result<answer> {
      reply_promise<answer> promise{self_};
      client::try_to("ask the client", [&] {
        questions_->take(key, std::move(asked), [promise](answer said) { promise.deliver(std::move(said)); });
      });
      return promise;
    },
    [this](msg::question_atom, msg::cancel_atom, msg::call_key key) { questions_->give_up(key); },
    [this](msg::question_atom, msg::finish_atom, msg::call_key key, bool is_there) {
      questions_->login_over(key, is_there);
    },
  };
}

msg::client_session_actor::behavior_type
client_session(msg::client_session_actor::stateful_pointer<client_session_state> self, client_session_options options) {
  return self->state.make_behavior(std::move(options));
}

} // namespace actors
