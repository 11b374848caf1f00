#include "actors/client_session.hpp"

#include "messages/utf8.hpp"

#include "messages/limits.hpp"
#include "proxy/names.hpp"
#include "proxy/tool_docs.hpp"
#include "tools/arguments.hpp"
#include "tools/isolation_doc.hpp"
#include "tools/large.hpp"
#include "tools/resources.hpp"

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <caf/all.hpp>

#include <algorithm>
#include <ctime>

namespace actors {

namespace json = boost::json;
namespace limits = msg::limits;
using msg::errc;
using msg::fault;
using tools::tool_kind;

namespace {

/// Local actors answer at once, or bounce.
constexpr std::chrono::seconds answer_timeout{10};
/// The longest that a run may be told to wait for its place (runs.queueTimeoutMs).
constexpr std::chrono::milliseconds queue_wait_most{300'000};
/// A run reports by its own deadline; queue and slack come on top. Only so that the wait is finite.
constexpr std::chrono::milliseconds run_patience = limits::run_timeout_max + queue_wait_most + std::chrono::milliseconds{20'000};
static_assert(limits::run_queue_wait_max <= queue_wait_most);

json::array strings(const std::vector<std::string>& from) { return json::array(from.begin(), from.end()); }

/// ISO 8601, UTC.
std::string now_as_text() {
  auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

json::object runtime_doc(const std::string& problem) {
  json::object doc{{"available", problem.empty()}};
  if (!problem.empty())
    doc["problem"] = problem;
  return doc;
}

json::object server_doc(const msg::server_status& s) {
  json::object doc{{"name", s.name}, {"status", to_string(s.state)}, {"toolCount", s.tool_count}, {"starts", s.starts}, {"source", s.source}};
  if (!s.shadows.empty())
    doc["shadows"] = strings(s.shadows);
  if (s.held_tools > 0)
    doc["changedTools"] = s.held_tools;
  if (s.disabled)
    doc["disabled"] = true;
  if (!s.last_error.empty())
    doc["lastError"] = s.last_error;
  return doc;
}

json::array pools_doc(const std::vector<msg::pool_status>& pools) {
  json::array out;
  for (auto& p : pools)
    out.push_back(json::object{{"runtime", to_string(p.lang)},
                               {"waiting", p.waiting},
                               {"warm", p.warm},
                               {"target", p.target},
                               {"servedWarm", p.served_warm},
                               {"servedCold", p.served_cold}});
  return out;
}

json::array sessions_doc(const msg::session_list& sessions) {
  json::array out;
  for (auto& s : sessions)
    out.push_back(json::object{{"runtime", to_string(s.lang)}, {"name", s.name}, {"busy", s.busy}, {"queued", s.queued}});
  return out;
}

} // namespace

const std::string& client_session_state::runtime_problem(msg::language l) const {
  return l == msg::language::typescript ? options_.found.typescript_problem : options_.found.python_problem;
}

/// Our own number of the request is also the number of its run.
void client_session_state::respond(number n, json::object result) {
  if (!mcp::has_structured_content(protocol_->negotiated()))
    result.erase("structuredContent");
  protocol_->respond(n, msg::document{json::value(std::move(result))});
}

void client_session_state::call_tool(mcp::tool_request& request) {
  auto* t = tools::find_tool(request.name);
  if (!t) {
    auto near = tools::nearest_tool(request.name);
    return protocol_->respond_error(request.number, mcp::rpc_error::invalid_params,
                                    "Unknown tool: " + msg::quoted(request.name, limits::pattern_bytes_max)
                                      + (near.empty() ? "" : "; did you mean '" + near + "'?"));
  }
  auto& arguments = request.arguments.value().get_object();
  switch (t->kind) {
    case tool_kind::run: return run(request.number, *t, request);
    case tool_kind::search_tools: return search_tools(request.number, arguments);
    case tool_kind::get_tool_signature: return get_tool_signature(request.number, arguments);
    case tool_kind::list_servers: return list_servers(request.number, arguments);
    case tool_kind::health: return health(request.number, arguments);
  }
}

// ---- runs ------------------------------------------------------------------------------------

void client_session_state::run(number n, const tools::tool& t, const mcp::tool_request& request) {
  auto parsed = tools::parse_run(t, request.arguments.value().get_object(), options_.run_limits);
  if (!parsed.ok())
    return respond(
      n, tools::refused_run(t, parsed.error, t.shape == tools::result_shape::c ? options_.run_limits.bridge_format : tools::output_format::usual));
  tools::presentation how{std::move(parsed.value.servers), parsed.value.format, {}, {}};
  if (auto& problem = runtime_problem(t.language); !problem.empty())
    return respond(
      n, tools::refused_run(t, fault{errc::runtime_missing, std::string{to_string(t.language)} + " is not available: " + problem}, how.format));
  auto& run = parsed.value.request;
  run.id = n;
  run.wants_progress = request.wants_progress;
  if (how.servers.empty())
    start_run(n, t, std::move(run), std::move(how));
  else
    check_servers_then_run(n, t, std::move(run), std::move(how));
}

void client_session_state::check_servers_then_run(number n, const tools::tool& t, msg::run_request run, tools::presentation how) {
  auto format = how.format;
  self_->request(options_.connector, answer_timeout, msg::servers_atom::value)
    .then(
      [this, n, &t, run = std::move(run), how = std::move(how)](msg::server_list& known) mutable {
        auto unknown = std::find_if(how.servers.begin(), how.servers.end(), [&](auto& wanted) {
          return std::none_of(known.begin(), known.end(), [&](auto& s) { return s.name == wanted; });
        });
        if (unknown != how.servers.end())
          return respond(n, tools::refused_run(t, fault{errc::unknown_server, "Unknown MCP server: " + *unknown}, how.format));
        start_run(n, t, std::move(run), std::move(how));
      },
      [this, n, &t, format](caf::error&) {
        respond(n, tools::refused_run(t, fault{errc::internal, "the connector did not answer"}, format));
      });
}

void client_session_state::start_run(number n, const tools::tool& t, msg::run_request run, tools::presentation how) {
  auto listener = caf::actor_cast<msg::run_listener>(self_);
  auto timeout_ms = run.timeout_ms;
  auto format = how.format;
  self_->request(options_.admission, run_patience, msg::run_atom::value, std::move(run), std::move(listener))
    .then([this, n, &t, timeout_ms,
           how = std::move(how)](msg::run_report& report) mutable { keep_then_respond(n, t, report, timeout_ms, std::move(how)); },
          [this, n, &t, format](caf::error&) {
            respond(n, tools::refused_run(t, fault{errc::internal, "the run was not answered"}, format));
          });
}

/// What is too large for the model is kept first, so that the answer can say where; but the answer comes in time.
void client_session_state::keep_then_respond(number n, const tools::tool& t, msg::run_report& report, uint32_t timeout_ms, tools::presentation how) {
  auto taken = tools::take_large(report, t.shape);
  if (taken.large.empty())
    return respond(n, tools::run_result(t, report, how));
  auto left = std::chrono::milliseconds{timeout_ms} - std::chrono::milliseconds{report.duration_us / 1'000};
  auto patience = std::min(limits::outputs_wait_max, std::max(left, std::chrono::milliseconds{0}) + limits::outputs_wait_after_deadline);
  auto unwritten = tools::still_written(taken.large);
  how.described = std::move(taken.described);
  auto shared = std::make_shared<std::pair<msg::run_report, tools::presentation>>(std::move(report), std::move(how));
  self_->request(options_.outputs, patience, msg::outputs_atom::value, msg::output_request{msg::output_operation::keep, std::move(taken.large), {}})
    .then(
      [this, n, &t, shared](msg::outcome<msg::output_answer>& answer) {
        shared->second.kept = std::move(answer.value.kept);
        shared->second.keep_problem = std::move(answer.error.message);
        respond(n, tools::run_result(t, shared->first, shared->second));
      },
      [this, n, &t, shared, unwritten = std::move(unwritten)](caf::error&) mutable {
        shared->second.kept = std::move(unwritten);
        respond(n, tools::run_result(t, shared->first, shared->second));
      });
}

void client_session_state::progressed(const msg::run_progress& p) {
  protocol_->progress(p.run, p.calls_started + p.calls_ended,
                      std::to_string(p.calls_ended) + " of " + std::to_string(p.calls_started) + " tool calls done: " + p.message);
}

// ---- discovery -------------------------------------------------------------------------------

void client_session_state::search_tools(number n, const json::object& arguments) {
  auto parsed = tools::parse_search(arguments);
  if (!parsed.ok())
    return respond(n, tools::error_result(parsed.error));
  auto patience = limits::discovery_timeout + std::chrono::milliseconds{answer_timeout};
  auto query = parsed.value.query.text;
  self_->request(options_.connector, patience, msg::search_atom::value, std::move(parsed.value.query))
    .then(
      [this, n, query, detail = parsed.value.detail](msg::outcome<msg::tool_matches>& found) {
        if (!found.ok())
          return respond(n, tools::error_result(found.error));
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
        respond(n, tools::document_result(std::move(doc)));
      },
      [this, n](caf::error&) {
        respond(n, tools::error_result(fault{errc::internal, "the search did not answer"}));
      });
}

void client_session_state::get_tool_signature(number n, const json::object& arguments) {
  auto parsed = tools::parse_signature(arguments);
  if (!parsed.ok())
    return respond(n, tools::error_result(parsed.error));
  self_->request(options_.connector, run_patience, msg::describe_atom::value, std::move(parsed.value), msg::tool_filter{})
    .then(
      [this, n](msg::outcome<msg::tool_info>& tool) {
        if (!tool.ok())
          return respond(n, tools::error_result(tool.error));
        respond(n, tools::document_result(proxy::signature_doc(tool.value, msg::language::typescript)));
      },
      [this, n](caf::error&) {
        respond(n, tools::error_result(fault{errc::internal, "the connector did not answer"}));
      });
}

void client_session_state::list_servers(number n, const json::object& arguments) {
  if (auto none = tools::parse_nothing(arguments); !none.ok())
    return respond(n, tools::error_result(none.error));
  self_->request(options_.connector, answer_timeout, msg::servers_atom::value)
    .then(
      [this, n](msg::server_list& list) {
        auto doc = proxy::servers_doc(list);
        json::object sources;
        for (auto& s : list) {
          json::object source{{"file", s.source}};
          if (!s.shadows.empty())
            source["shadows"] = strings(s.shadows);
          sources[s.name] = std::move(source);
        }
        doc["sources"] = std::move(sources);
        if (!options_.found.config_problems.empty())
          doc["problems"] = strings(options_.found.config_problems);
        respond(n, tools::document_result(std::move(doc)));
      },
      [this, n](caf::error&) {
        respond(n, tools::error_result(fault{errc::internal, "the connector did not answer"}));
      });
}

// ---- health ----------------------------------------------------------------------------------

void client_session_state::health(number n, const json::object& arguments) {
  if (auto none = tools::parse_nothing(arguments); !none.ok())
    return respond(n, tools::error_result(none.error));
  auto found = std::make_shared<health_findings>();
  found->outstanding = 2 + options_.guests.pools.size() + (options_.guests.sessions ? 1 : 0);
  auto one_more = [this, n, found] {
    if (--found->outstanding == 0)
      respond(n, found->complete ? tools::document_result(health_document(*found))
                                 : tools::error_result(fault{errc::internal, "an actor of the server does not answer"}));
  };
  auto fail = [found, one_more](caf::error&) {
    found->complete = false;
    one_more();
  };
  auto keep = [one_more](auto& place) {
    return [&place, one_more](auto& answer) {
      place = std::move(answer);
      one_more();
    };
  };
  auto runs = keep(found->runs);
  auto servers = keep(found->servers);
  auto sessions = keep(found->sessions);
  self_->request(options_.admission, answer_timeout, msg::status_atom::value).then([runs](msg::admission_status& s) { runs(s); }, fail);
  self_->request(options_.connector, answer_timeout, msg::servers_atom::value).then([servers](msg::server_list& s) { servers(s); }, fail);
  if (options_.guests.sessions)
    self_->request(options_.guests.sessions, answer_timeout, msg::status_atom::value).then([sessions](msg::session_list& s) { sessions(s); }, fail);
  for (auto& [lang, pool] : options_.guests.pools)
    self_->request(pool, answer_timeout, msg::status_atom::value)
      .then(
        [found, one_more](const msg::pool_status& s) {
          found->pools.push_back(s);
          one_more();
        },
        fail);
}

json::object client_session_state::health_document(const health_findings& now) const {
  json::array list;
  json::object by_state;
  uint32_t connected = 0;
  for (auto& s : now.servers) {
    list.push_back(server_doc(s));
    connected += s.state == msg::server_state::ready;
    auto& count = by_state[to_string(s.state)];
    count = (count.is_null() ? 0 : count.as_int64()) + 1;
  }
  auto& found = options_.found;
  auto uptime = std::chrono::duration_cast<std::chrono::milliseconds>(self_->clock().now() - started_).count();
  auto isolation = tools::isolation_doc(found.isolation ? found.isolation() : msg::isolation_report{});
  if (found.container)
    isolation["python"] = tools::isolation_doc(found.container());
  return json::object{
    {"healthy", found.typescript_problem.empty() || found.python_problem.empty()},
    {"version", CODE_EXECUTOR_VERSION},
    {"uptime", static_cast<double>(uptime) / 1000.0}, // seconds
    {"timestamp", now_as_text()},
    {"auditLog", json::object{{"enabled", false}}},
    {"mcpClients", json::object{{"connected", connected}}},
    {"connectionPool",
     json::object{{"active", now.runs.running}, {"waiting", now.runs.queued}, {"max", limits::runs_max}, {"finished", now.runs.finished}}},
    {"runtimes", json::object{{"typescript", runtime_doc(found.typescript_problem)}, {"python", runtime_doc(found.python_problem)}}},
    {"isolation", std::move(isolation)},
    {"pools", pools_doc(now.pools)},
    {"sessions", sessions_doc(now.sessions)},
    {"servers", json::object{{"configured", now.servers.size()}, {"byState", std::move(by_state)}, {"list", std::move(list)}}},
    {"configuration", json::object{{"files", strings(found.config_files)}, {"problems", strings(found.config_problems)}}},
  };
}

// ---- behaviour -------------------------------------------------------------------------------

msg::client_session_actor::behavior_type client_session_state::make_behavior(client_session_options options) {
  options_ = std::move(options);
  started_ = self_->clock().now();
  self_->set_default_handler(caf::drop);
  mcp::server_callbacks callbacks;
  callbacks.send = options_.send;
  callbacks.list_tools = [this](mcp::revision r) {
    tools::available_runtimes available{options_.found.typescript_problem.empty(), options_.found.python_problem.empty()};
    return msg::document{tools::tool_list(options_.shown, available, r, options_.run_limits.bridge)};
  };
  callbacks.call_tool = [this](mcp::tool_request request) { call_tool(request); };
  callbacks.list_resources = [this](number n) { list_resources(n); };
  callbacks.read_resource = [this](number n, const std::string& uri) { read_resource(n, uri); };
  callbacks.list_resource_templates = [] { return msg::document{tools::resource_templates()}; };
  callbacks.cancelled = [this](number n) { self_->send(options_.admission, msg::cancel_atom::value, n); };
  protocol_ = std::make_unique<mcp::server_protocol>(mcp::server_identity{"code-executor", CODE_EXECUTOR_VERSION, ""}, std::move(callbacks));
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
  };
}

msg::client_session_actor::behavior_type client_session(msg::client_session_actor::stateful_pointer<client_session_state> self,
                                                        client_session_options options) {
  return self->state.make_behavior(std::move(options));
}

} // namespace actors
