#include "actors/client_session.hpp"

#include "audit/line.hpp"
#include "mcp/trace.hpp"
#include "messages/limits.hpp"
#include "proxy/names.hpp"
#include "proxy/surface/arguments.hpp"
#include "proxy/surface/health.hpp"
#include "proxy/surface/instructions.hpp"
#include "proxy/surface/known_clients.hpp"
#include "proxy/surface/large.hpp"
#include "proxy/surface/resources.hpp"
#include "proxy/tool_docs.hpp"
#include "text/utf8.hpp"

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <caf/all.hpp>

#include <algorithm>

namespace actors {

namespace json = boost::json;
namespace limits = msg::limits;
using msg::errc;
using msg::fault;
using std::chrono::milliseconds;
using surface::tool_kind;

namespace {

/// Local actors answer at once, or bounce.
constexpr std::chrono::seconds answer_timeout{10};
constexpr milliseconds health_patience = limits::health_answer_max + milliseconds{1'000};
/// A run reports by its own deadline; a check of its types, the queues of the runs and of its session, and slack come on top. Only so that the
/// wait is finite.
constexpr std::chrono::milliseconds run_patience = 2 * limits::run_timeout_max + 2 * limits::run_queue_wait_most + std::chrono::milliseconds{30'000};

json::array strings(const std::vector<std::string>& from) { return json::array(from.begin(), from.end()); }

/// Where a server comes from, and how it is if it does not just wait.
json::object source_doc(const msg::server_status& s) {
  json::object doc{{"file", s.source}, {"client", s.client}, {"state", to_string(s.state)}};
  if (s.disabled)
    doc["disabled"] = true;
  if (!s.shadows.empty())
    doc["shadows"] = strings(s.shadows);
  if (s.breaker != msg::breaker_state::closed)
    doc["breaker"] = to_string(s.breaker);
  if (s.retry_after_ms > 0)
    doc["retryAfterMs"] = s.retry_after_ms;
  if (!s.last_error.empty())
    doc["lastError"] = s.last_error;
  return doc;
}

} // namespace

const std::string& client_session_state::runtime_problem(msg::language l) const {
  return l == msg::language::typescript ? options_.typescript_problem : options_.python_problem;
}

/// Our own number of the request is also the number of its run.
void client_session_state::respond(number n, json::object result) {
  told_.erase(n);
  bool is_text = options_.form == surface::result_form::text;
  auto& name = protocol_->client_name();
  if (is_text && !surface::shows_meta(name))
    surface::report_in_meta(result);
  else if (is_text || !mcp::has_structured_content(protocol_->negotiated()))
    result.erase("structuredContent");
  if (is_text && surface::guesses_structure(name))
    result["structuredContent"].emplace_object();
  protocol_->respond(n, msg::document{json::value(std::move(result))});
}

void client_session_state::call_tool(mcp::tool_request& request) {
  auto* t = surface::find_tool(request.name);
  if (!t) {
    auto near = surface::nearest_tool(request.name);
    return protocol_->respond_error(request.number, mcp::rpc_error::invalid_params,
                                    "Unknown tool: " + text::quoted(request.name, limits::pattern_bytes_max)
                                      + (near.empty() ? "" : "; did you mean '" + near + "'?"));
  }
  auto& arguments = request.arguments.value().get_object();
  if ((options_.is_nested || request.is_of_a_run) && t->kind != tool_kind::health)
    return refuse_nested(request.number, *t, arguments);
  switch (t->kind) {
    case tool_kind::run: return run(request.number, *t, request);
    case tool_kind::search_tools: return search_tools(request.number, arguments);
    case tool_kind::get_tool_signature: return get_tool_signature(request.number, arguments);
    case tool_kind::list_servers: return list_servers(request.number, arguments);
    case tool_kind::health: return health(request.number, arguments);
  }
}

/// Whatever is between: a shell, env, a container. Here neither the allowlist of the run outside nor its limits would hold.
void client_session_state::refuse_nested(number n, const surface::tool& t, const json::object& arguments) {
  fault why{errc::not_allowed,
            "this code-executor was started by another one, and does nothing for it: a program in it would be held to none of the "
            "limits of the program outside. Configure its servers where the outer one finds them, and remove the entry that starts "
            "code-executor"};
  if (t.kind != tool_kind::run) {
    record_refusal(n, why);
    return respond(n, surface::error_result(why));
  }
  record_refusal(n, t.language, arguments, why);
  respond(n,
          surface::refused_run(t, why, t.shape == surface::result_shape::bridge ? options_.run_limits.bridge_format : surface::output_format::usual));
}

// ---- runs ------------------------------------------------------------------------------------

void client_session_state::run(number n, const surface::tool& t, const mcp::tool_request& request) {
  auto parsed = surface::parse_run(t, request.arguments.value().get_object(), options_.run_limits);
  if (!parsed.ok()) {
    record_refusal(n, t.language, request.arguments.value().get_object(), parsed.error);
    return respond(
      n, surface::refused_run(t, parsed.error,
                              t.shape == surface::result_shape::bridge ? options_.run_limits.bridge_format : surface::output_format::usual));
  }
  surface::presentation how{std::move(parsed.value.servers), parsed.value.format, chars_max()};
  if (auto& problem = runtime_problem(t.language); !problem.empty()) {
    fault why{errc::runtime_missing, std::string{to_string(t.language)} + " is not available: " + problem};
    record_refusal(n, t.language, request.arguments.value().get_object(), why);
    return respond(n, surface::refused_run(t, why, how.format));
  }
  auto& run = parsed.value.request;
  run.id = n;
  run.wants_progress = request.wants_progress;
  if (run.wants_progress)
    begin_progress(n);
  run.client = options_.connection;
  run.client_name = client();
  run.client_samples = protocol_->client().samples;
  run.client_samples_with_tools = protocol_->client().samples_with_tools;
  run.trace = request.trace;
  mcp::begin_trace(run.trace);
  if (how.servers.empty())
    start_run(n, t, std::move(run), std::move(how));
  else
    check_servers_then_run(n, t, std::move(run), std::move(how));
}

void client_session_state::check_servers_then_run(number n, const surface::tool& t, msg::run_request run, surface::presentation how) {
  auto format = how.format;
  checking_.insert(n);
  self_->request(options_.connector, answer_timeout, msg::servers_atom::value)
    .then(
      [this, n, &t, run = std::move(run), how = std::move(how)](msg::server_list& known) mutable {
        if (checking_.erase(n) == 0) // cancelled
          return;
        auto unknown = std::find_if(how.servers.begin(), how.servers.end(), [&](auto& wanted) {
          return std::none_of(known.begin(), known.end(), [&](auto& s) { return s.name == wanted; });
        });
        if (unknown != how.servers.end()) {
          fault why{errc::unknown_server, "Unknown MCP server: " + *unknown};
          record_refusal(n, why);
          return respond(n, surface::refused_run(t, why, how.format));
        }
        start_run(n, t, std::move(run), std::move(how));
      },
      [this, n, &t, format](caf::error&) {
        checking_.erase(n);
        respond(n, surface::refused_run(t, fault{errc::internal, "the connector did not answer"}, format));
      });
}

void client_session_state::start_run(number n, const surface::tool& t, msg::run_request run, surface::presentation how) {
  auto listener = caf::actor_cast<msg::run_listener>(self_);
  auto timeout_ms = run.timeout_ms;
  auto format = how.format;
  self_->request(options_.admission, run_patience, msg::run_atom::value, std::move(run), std::move(listener))
    .then(
      [this, n, &t, timeout_ms, how = std::move(how)](msg::run_report& report) mutable {
        if (!report.is_recorded) // it never came to run
          record_refusal(n, fault{report.error.code, report.error.message});
        keep_then_respond(n, t, report, timeout_ms, std::move(how));
      },
      [this, n, &t, format](caf::error&) {
        respond(n, surface::refused_run(t, fault{errc::internal, "the run was not answered"}, format));
      });
}

/// What is too large for the model is kept first, so that the answer can say where; but the answer comes in time.
void client_session_state::keep_then_respond(number n, const surface::tool& t, msg::run_report& report, uint32_t timeout_ms,
                                             surface::presentation how) {
  auto taken = surface::take_large(report, t.shape, how.chars_max);
  if (taken.large.empty())
    return respond(n, surface::run_result(t, report, how));
  auto left = std::chrono::milliseconds{timeout_ms} - std::chrono::milliseconds{report.duration_us / 1'000};
  auto patience = std::min(limits::outputs_wait_max, std::max(left, std::chrono::milliseconds{0}) + limits::outputs_wait_after_deadline);
  auto unwritten = surface::still_written(taken.large);
  how.described = std::move(taken.described);
  auto shared = std::make_shared<std::pair<msg::run_report, surface::presentation>>(std::move(report), std::move(how));
  self_
    ->request(options_.outputs, patience, msg::outputs_atom::value, msg::artifact_request{msg::artifact_operation::keep, std::move(taken.large), {}})
    .then(
      [this, n, &t, shared](msg::outcome<msg::artifact_answer>& answer) {
        shared->second.kept = std::move(answer.value.kept);
        shared->second.keep_problem = std::move(answer.error.message);
        respond(n, surface::run_result(t, shared->first, shared->second));
      },
      [this, n, &t, shared, unwritten = std::move(unwritten)](caf::error&) mutable {
        shared->second.kept = std::move(unwritten);
        respond(n, surface::run_result(t, shared->first, shared->second));
      });
}

size_t client_session_state::chars_max() const { return std::min(options_.chars_max, surface::characters_shown_by(protocol_->client_name())); }

/// Its name, as it gave it, and the number of its connection.
std::string client_session_state::client() const { return protocol_->client_name() + "#" + std::to_string(options_.connection); }

void client_session_state::record_refusal(number n, const fault& why) {
  if (!options_.audit)
    return;
  msg::audit_event e;
  e.kind = msg::audit_kind::refusal;
  e.run = n;
  e.client = client();
  e.success = false;
  e.error = audit::error_text(why);
  self_->send(options_.audit, msg::audit_atom::value, std::move(e));
}

/// Before there is a run: with the digest of the program, if there is one.
void client_session_state::record_refusal(number n, msg::language language, const json::object& arguments, const fault& why) {
  if (!options_.audit)
    return;
  msg::audit_event e;
  e.kind = msg::audit_kind::refusal;
  e.run = n;
  e.client = client();
  e.executor = audit::executor_name(language);
  if (auto* code = arguments.if_contains("code"); code && code->is_string() && code->get_string().size() <= limits::code_bytes_max)
    e.code = code->get_string();
  e.success = false;
  e.error = audit::error_text(why);
  self_->send(options_.audit, msg::audit_atom::value, std::move(e));
}

// ---- discovery -------------------------------------------------------------------------------

void client_session_state::search_tools(number n, const json::object& arguments) {
  auto parsed = surface::parse_search(arguments);
  if (!parsed.ok())
    return respond(n, surface::error_result(parsed.error));
  auto patience = limits::discovery_timeout + std::chrono::milliseconds{answer_timeout};
  auto query = parsed.value.query.text;
  self_->request(options_.connector, patience, msg::search_atom::value, std::move(parsed.value.query))
    .then(
      [this, n, query, detail = parsed.value.detail](msg::outcome<msg::tool_matches>& found) {
        if (!found.ok())
          return respond(n, surface::error_result(found.error));
        json::object doc{{"tools", proxy::search_entries(found.value, detail)}, {"total", found.value.total}, {"query", query}};
        if (!found.value.connected.empty())
          doc["lazyLoaded"] = strings(found.value.connected);
        if (auto hint = proxy::search_hint(found.value); !hint.empty())
          doc["hint"] = hint;
        json::array problems;
        for (auto& f : found.value.failures)
          problems.push_back(json::string{f.message});
        if (!problems.empty())
          doc["errors"] = std::move(problems);
        respond(n, surface::document_result(std::move(doc)));
      },
      [this, n](caf::error&) {
        respond(n, surface::error_result(fault{errc::internal, "the search did not answer"}));
      });
}

void client_session_state::get_tool_signature(number n, const json::object& arguments) {
  auto parsed = surface::parse_signature(arguments);
  if (!parsed.ok())
    return respond(n, surface::error_result(parsed.error));
  self_->request(options_.connector, run_patience, msg::describe_atom::value, std::move(parsed.value), msg::tool_filter{})
    .then(
      [this, n](msg::outcome<msg::tool_info>& tool) {
        if (!tool.ok())
          return respond(n, surface::error_result(tool.error));
        respond(n, surface::document_result(proxy::signature_answer(tool.value)));
      },
      [this, n](caf::error&) {
        respond(n, surface::error_result(fault{errc::internal, "the connector did not answer"}));
      });
}

void client_session_state::list_servers(number n, const json::object& arguments) {
  if (auto none = surface::parse_nothing(arguments); !none.ok())
    return respond(n, surface::error_result(none.error));
  self_->request(options_.connector, answer_timeout, msg::servers_atom::value)
    .then(
      [this, n](msg::server_list& list) {
        auto doc = proxy::servers_doc(list);
        json::object sources;
        for (auto& s : list)
          sources[s.name] = source_doc(s);
        doc["sources"] = std::move(sources);
        if (auto problems = options_.config_problems ? options_.config_problems() : std::vector<std::string>{}; !problems.empty())
          doc["problems"] = strings(problems);
        respond(n, surface::document_result(std::move(doc)));
      },
      [this, n](caf::error&) {
        respond(n, surface::error_result(fault{errc::internal, "the connector did not answer"}));
      });
}

// ---- health ----------------------------------------------------------------------------------

void client_session_state::health(number n, const json::object& arguments) {
  if (auto none = surface::parse_nothing(arguments); !none.ok())
    return respond(n, surface::error_result(none.error));
  self_->request(options_.health, health_patience, msg::status_atom::value)
    .then([this, n](const msg::health_report& now) { respond(n, surface::document_result(surface::health_doc(now))); },
          [this, n](caf::error&) {
            respond(n, surface::error_result(fault{errc::internal, "the server does not answer"}));
          });
}

// ---- behaviour -------------------------------------------------------------------------------

msg::client_session_actor::behavior_type client_session_state::make_behavior(client_session_options options) {
  options_ = std::move(options);
  self_->set_default_handler(caf::drop);
  mcp::server_callbacks callbacks;
  callbacks.send = options_.send;
  callbacks.list_tools = [this](mcp::revision r) {
    surface::available_runtimes available{options_.typescript_problem.empty(), options_.python_problem.empty()};
    return msg::document{surface::tool_list({options_.shown, options_.form, available, r, options_.run_limits.bridge})};
  };
  callbacks.call_tool = [this](mcp::tool_request request) { call_tool(request); };
  callbacks.list_resources = [this](number n) { list_resources(n); };
  callbacks.read_resource = [this](number n, const std::string& uri) { read_resource(n, uri); };
  callbacks.list_resource_templates = [] { return msg::document{surface::resource_templates()}; };
  callbacks.cancelled = [this](number n) {
    told_.erase(n);
    if (checking_.erase(n) == 0) // else nobody knows of the run yet
      self_->send(options_.admission, msg::cancel_atom::value, n);
  };
  mcp::server_identity identity{"code-executor", CODE_EXECUTOR_VERSION, {}, options_.lists_resources};
  identity.instructions = [this] { return surface::instructions(options_.server_names ? options_.server_names() : std::vector<std::string>{}); };
  protocol_ = std::make_unique<mcp::server_protocol>(std::move(identity), std::move(callbacks));
  return {
    [this](msg::received_atom, const msg::document& message) {
      protocol_->receive(message);
      return true;
    },
    [this](msg::rejected_atom, int32_t code, const std::string& why) {
      protocol_->reject(code, why);
      return true;
    },
    [](msg::stop_atom) { return true; }, // everything before this has been answered
    [this](msg::progress_atom, const msg::run_progress& p) { progressed(p); },
    [this](msg::tick_atom, uint64_t n) { still_running(n); },
    [this](msg::sample_atom, msg::call_key key, const msg::model_request& request) { return sample(key, request); },
    [this](msg::cancel_atom, msg::call_key key) { give_up_sample(key); },
  };
}

msg::client_session_actor::behavior_type client_session(msg::client_session_actor::stateful_pointer<client_session_state> self,
                                                        client_session_options options) {
  return self->state.make_behavior(std::move(options));
}

} // namespace actors
