#include "mcp/server_protocol.hpp"

#include "mcp/trace.hpp"
#include "text/digest.hpp"
#include "text/json_beginning.hpp"
#include "text/json_text.hpp"
#include "text/utf8.hpp"

#include <boost/json/array.hpp>

#include <new>
#include <utility>

namespace mcp {

namespace json = boost::json;

namespace {

constexpr size_t shown_value_bytes_max = 80;
constexpr auto no_memory_text =
  "The server has no memory left for this request (process.dataMb); ask for less at a time, or try again later";
/// The list of tools is the same for as long as the process lives, whoever asks.
constexpr cache_hint list_hint{cache_hint::scope::everybody, std::chrono::hours{1}};
/// Names of the configured servers are in it.
constexpr cache_hint discovery_hint{cache_hint::scope::asker, std::chrono::minutes{1}};

std::string shown(const json::value* value) {
  return value ? text::quoted_json(*value, shown_value_bytes_max) : "absent";
}

rpc_refusal invalid_params(const std::string& what) {
  return {rpc_error::invalid_params, "Invalid params: " + what, {}};
}

rpc_refusal unknown_method(std::string_view method) {
  return {rpc_error::method_not_found, "Method not found: " + text::quoted(method, shown_value_bytes_max), {}};
}

/// Every list is one page: no cursor can have come from us.
rpc_refusal problem_of_page(const message_view& request) {
  auto* cursor = request.params ? request.params->if_contains("cursor") : nullptr;
  return !cursor || cursor->is_null() ? rpc_refusal{} : invalid_params("unknown 'cursor' " + shown(cursor));
}

json::object capabilities_of(const server_identity& identity) {
  json::object out{{"tools", json::object{}}, {"logging", json::object{}}}; // of servers, in the middle of calls
  if (identity.declares_resources)
    out["resources"] = json::object{};
  return out;
}

void add_instructions(json::object& to, const server_identity& identity) {
  if (auto text = identity.instructions ? identity.instructions() : std::string{}; !text.empty())
    to["instructions"] = text;
}

/// Clients ask for what they have a button for, whatever was declared: there is none of it. Nothing: another method.
const json::object* empty_result(std::string_view method, revision spoken) {
  static const json::object nothing;
  static const json::object prompts{{"prompts", json::array{}}};
  static const json::object completion{{"completion", json::object{{"values", json::array{}}, {"hasMore", false}}}};
  if (method == "prompts/list")
    return &prompts;
  if (method == "completion/complete")
    return &completion;
  bool is_there = has_handshake(spoken) && (method == "resources/subscribe" || method == "resources/unsubscribe");
  return is_there ? &nothing : nullptr;
}

/// Of parameters that are as they should be.
tool_request tool_request_of(const incoming_request& request, std::string_view own_name) {
  auto& params = *request.view.params;
  auto* arguments = params.if_contains("arguments");
  auto* meta = params.if_contains("_meta");
  auto* fields = meta ? meta->if_object() : nullptr;
  bool is_marked = fields && fields->contains(run_marker);
  tool_request out;
  out.name = params.at("name").get_string();
  out.arguments =
    arguments && arguments->is_object() ? request.message.part(*arguments) : msg::document{json::object{}};
  out.trace = fields ? read_trace(*fields) : msg::trace_context{};
  out.is_of_a_run = is_marked || request.from->name == own_name; // another of us calls for its programs only
  return out;
}

/// A client that says it comes back with answers.
bool is_return(const incoming_request& request) {
  auto& params = *request.view.params;
  return !has_handshake(request.from->spoken) && (params.contains("requestState") || params.contains("inputResponses"));
}

/// None: nothing can be asked in the middle of it.
call_digest digest_of(const tool_request& call, const incoming_request& request) {
  bool is_asked = !has_handshake(request.from->spoken) && request.from->abilities != msg::client_abilities{};
  if (!is_asked && !is_return(request))
    return {};
  return call_digest{[name = call.name, arguments = call.arguments, is_of_a_run = call.is_of_a_run] {
    text::digest out;
    out.add(name).add(arguments.text()).add(uint64_t{is_of_a_run});
    return out.hex();
  }};
}

} // namespace

server_protocol::server_protocol(server_identity identity, server_callbacks callbacks)
  : identity_(std::move(identity)),
    callbacks_(std::move(callbacks)),
    replies_(callbacks_.send, callbacks_.room, callbacks_.is_read),
    open_(identity_.numbers),
    questions_({callbacks_.send,
                callbacks_.cancelled,
                callbacks_.now,
                callbacks_.look_again,
                [this] { return server_info(); },
                {},
                callbacks_.parked_wait},
               open_, replies_),
    messages_({[this](const incoming& request) { take_request(request); },
               [](const message_view&, const msg::document&) {}, // initialized, and what we do not know
               [this](request_number number, const request_in_flight& request) {
                 if (!request.is_subscription)
                   callbacks_.cancelled(number);
               }},
              open_, replies_, questions_) {}

// ---- messages --------------------------------------------------------------------------------

/// What is large is of this request, and gone by then. An exception would end the session, and with it the server.
void server_protocol::take_request(const incoming& request) {
  try {
    handle_request(request);
  } catch (const std::bad_alloc&) {
    if (auto number = open_.number_of(request.view.id, request.path.stream); number != 0)
      give_up(number);
    else
      replies_.refuse(request, {rpc_error::internal_error, no_memory_text, {}});
  }
}

void server_protocol::handle_request(const incoming& request) {
  auto method = request.view.method;
  if (has_envelope(request.view))
    return handle_enveloped(request);
  if (method == "initialize")
    return initialize(request);
  if (method == "ping")
    return replies_.answer(request.path, make_response(request.view.id, msg::document{json::object{}}));
  if (messages_.client())
    return serve(request);
  replies_.refuse(
    request,
    method == "server/discover"
      ? unknown_method(method) // the client is to begin with `initialize`, or to say what it speaks
      : rpc_refusal{rpc_error::invalid_request,
                    "Invalid Request: " + text::quoted(method, shown_value_bytes_max) + " before 'initialize'",
                    {}});
}

/// Nothing that was said before counts.
void server_protocol::handle_enveloped(const incoming& request) {
  auto envelope = read_envelope(request.view);
  if (request.path.in)
    return replies_.refuse(request,
                           {rpc_error::invalid_request, "Invalid Request: revision 2026-07-28 has no batches", {}});
  if (envelope.refused)
    return replies_.refuse(request, envelope.refused);
  auto method = request.view.method;
  if (!is_modern_method(method))
    return replies_.refuse(request, unknown_method(method));
  incoming enveloped{request.message, request.view, request.path,
                     std::make_shared<const requester>(std::move(envelope.from))};
  if (method == "subscriptions/listen")
    return listen(enveloped);
  if (method != "server/discover")
    return serve(enveloped);
  auto capabilities = capabilities_of(identity_);
  capabilities["prompts"] = json::object{}; // who answers prompts/list has to declare them, even if there are none
  json::object result{{"supportedVersions", served_revisions()}, {"capabilities", std::move(capabilities)}};
  add_instructions(result, identity_);
  replies_.answer(request.path, listing_response(request.view.id, msg::document{json::value(std::move(result))},
                                                 *enveloped.from, server_info(), discovery_hint));
}

/// Tools, prompts and resources do not change while we live: there is nothing to tell but that we listen.
void server_protocol::listen(const incoming& request) {
  auto* wanted = request.view.params->if_contains("notifications");
  if (!wanted || !wanted->is_object())
    return replies_.refuse(request, invalid_params("'notifications' must be an object, not " + shown(wanted)));
  auto number = messages_.open(request);
  if (number == 0)
    return;
  open_.find(number)->is_subscription = true;
  json::object params{{"notifications", json::object{}},
                      {"_meta", json::object{{meta_key::subscription, request.view.id}}}};
  replies_.send(make_notification("notifications/subscriptions/acknowledged", json::value(std::move(params))),
                request.path.stream, outgoing::kind::notification);
}

void server_protocol::end_subscriptions() {
  for (auto number : open_.subscriptions()) {
    auto& request = *open_.find(number);
    json::object result{{"_meta", json::object{{meta_key::subscription, request.id}}}};
    complete(result, *request.from, server_info());
    respond(number, msg::document{json::value(std::move(result))});
  }
}

void server_protocol::initialize(const incoming& request) {
  auto* params = request.view.params;
  auto* wanted = params ? params->if_contains("protocolVersion") : nullptr;
  if (!wanted || !wanted->is_string())
    return replies_.refuse(request, invalid_params("'protocolVersion' must be a string, not " + shown(wanted)));
  auto client = std::make_shared<requester>();
  client->spoken = negotiate(wanted->get_string());
  client->name = client_name_of(params->if_contains("clientInfo"));
  client->abilities = read_abilities(params->if_contains("capabilities"));
  client->abilities.opens_urls = client->abilities.opens_urls && client->spoken >= revision::r2025_11_25;
  json::object result{{"protocolVersion", name_of(client->spoken)},
                      {"capabilities", capabilities_of(identity_)},
                      {"serverInfo", server_info()}};
  client->log = msg::unasked_log;
  messages_.shaken_hands(std::move(client));
  add_instructions(result, identity_);
  replies_.answer(request.path, make_response(request.view.id, msg::document{json::value(std::move(result))}));
}

// ---- requests --------------------------------------------------------------------------------

void server_protocol::serve(const incoming& request) {
  auto method = request.view.method;
  auto answer_list = [&](const msg::document& list, const cache_hint& hint) {
    replies_.answer(request.path, listing_response(request.view.id, list, *request.from, server_info(), hint));
  };
  if (method == "tools/list") {
    if (auto problem = problem_of_page(request.view))
      return replies_.refuse(request, problem);
    return answer_list(callbacks_.list_tools(request.from->spoken), list_hint);
  }
  if (method == "tools/call")
    return call_tool(request);
  if (method == "logging/setLevel" && has_handshake(request.from->spoken))
    return set_log_level(request);
  if (auto* empty = empty_result(method, request.from->spoken))
    return answer_list(msg::document{*empty}, method == "prompts/list" ? list_hint : uncached);
  if (method.starts_with("resources/") && callbacks_.list_resources)
    return serve_resources(request);
  replies_.refuse(request, unknown_method(method));
}

void server_protocol::serve_resources(const incoming& request) {
  auto method = request.view.method;
  if (method == "resources/read") {
    auto* uri = request.view.params ? request.view.params->if_contains("uri") : nullptr;
    if (!uri || !uri->is_string())
      return replies_.refuse(request, invalid_params("'uri' must be a string, not " + shown(uri)));
    if (auto number = messages_.open(request); number != 0)
      callbacks_.read_resource(number, std::string{uri->get_string()});
    return;
  }
  bool templates = method == "resources/templates/list";
  if (!templates && method != "resources/list")
    return replies_.refuse(request, unknown_method(method));
  if (auto problem = problem_of_page(request.view))
    return replies_.refuse(request, problem);
  if (templates)
    return replies_.answer(request.path, listing_response(request.view.id, callbacks_.list_resource_templates(),
                                                          *request.from, server_info(), list_hint));
  if (auto number = messages_.open(request); number != 0)
    callbacks_.list_resources(number);
}

/// For what is told from now on. Servers are asked for more by the calls of runs that begin after it.
void server_protocol::set_log_level(const incoming& request) {
  auto* wanted = request.view.params ? request.view.params->if_contains("level") : nullptr;
  auto level = wanted && wanted->is_string() ? msg::log_level_of(wanted->get_string()) : std::nullopt;
  if (!level)
    return replies_.refuse(request, invalid_params("'level' must be one of debug, info, notice, warning, error, "
                                                   "critical, alert and emergency, not "
                                                   + shown(wanted)));
  auto client = std::make_shared<requester>(*request.from);
  client->log = {*level, true};
  messages_.shaken_hands(std::move(client));
  replies_.answer(request.path, make_response(request.view.id, msg::document{json::object{}}));
}

void server_protocol::call_tool(const incoming& request) {
  auto* params = request.view.params;
  auto* name = params ? params->if_contains("name") : nullptr;
  if (!name || !name->is_string())
    return replies_.refuse(request, invalid_params("'name' must be a string, not " + shown(name)));
  auto* arguments = params->if_contains("arguments");
  if (arguments && !arguments->is_object() && !arguments->is_null())
    return replies_.refuse(request, invalid_params("'arguments' must be an object, not " + shown(arguments)));
  auto wanted = tool_request_of(request, identity_.name);
  auto call = digest_of(wanted, request);
  if (is_return(request)) { // and not begun a second time
    auto [number, answer] = questions_.come_back(request, call);
    if (answer && answer->refused)
      respond_error(number, answer->refused);
    else if (answer)
      respond(number, answer->result, answer->hint);
    return;
  }
  wanted.number = messages_.open(request);
  if (wanted.number == 0)
    return;
  auto& opened = *open_.find(wanted.number);
  wanted.wants_progress = !opened.progress_token.is_null();
  opened.call = std::move(call);
  callbacks_.call_tool(std::move(wanted));
}

// ---- answers ---------------------------------------------------------------------------------

void server_protocol::respond(request_number number, const msg::document& result, const cache_hint& hint) {
  auto request = questions_.take(number);
  if (!request) {
    questions_.keep(number, {result, hint, {}});
    return;
  }
  if (auto problem = replies_.problem_of_size(result, request->path); !problem.empty())
    return replies_.answer(request->path, make_error(request->id, rpc_error::internal_error, problem));
  bool is_listing = hint.whose != cache_hint::scope::nobody;
  try {
    replies_.answer(request->path, is_listing
                                     ? listing_response(request->id, result, *request->from, server_info(), hint)
                                     : make_response(request->id, result));
  } catch (const std::bad_alloc&) {
    replies_.answer_instead(request->path, make_error(request->id, rpc_error::internal_error, no_memory_text));
  }
}

void server_protocol::give_up(request_number number) {
  respond_error(number, {rpc_error::internal_error, no_memory_text, {}});
  callbacks_.cancelled(number);
}

void server_protocol::respond_error(request_number number, const rpc_refusal& why) {
  auto request = questions_.take(number);
  if (!request) {
    questions_.keep(number, {{}, {}, why});
    return;
  }
  bool is_old_code = why.code == rpc_error::resource_not_found && !has_handshake(request->from->spoken);
  replies_.answer(request->path,
                  make_error(request->id, is_old_code ? rpc_error::invalid_params : why.code, why.message, why.data));
}

void server_protocol::progress(request_number number, double progress, const std::string& message) {
  auto* found = open_.find(number);
  if (!found || found->progress_token.is_null() || !replies_.is_read())
    return;
  json::object params{{"progressToken", found->progress_token}, {"progress", progress}};
  if (found->from->spoken >= revision::r2025_03_26)
    params["message"] = message;
  replies_.send(make_notification("notifications/progress", json::value(std::move(params))), found->path.stream,
                outgoing::kind::notification);
}

void server_protocol::tell_log(request_number number, const msg::server_log& line) {
  auto* found = open_.find(number);
  if (!found || !replies_.is_read())
    return;
  bool is_of_client = has_handshake(found->from->spoken);
  auto& wish = is_of_client && messages_.client() ? messages_.client()->log : found->from->log;
  if (line.level < wish.from || (!is_of_client && !line.is_sure))
    return;
  json::object params{{"level", to_string(line.level)}, {"logger", line.logger}, {"data", line.data.value()}};
  replies_.send(make_notification("notifications/message", json::value(std::move(params))), found->path.stream,
                outgoing::kind::notification);
}

const requester& server_protocol::asker(request_number number) {
  if (auto* found = open_.find(number))
    return *found->from;
  auto* parked = questions_.asker(number);
  auto& client = messages_.client();
  return parked ? *parked : client ? *client : *unknown_requester();
}

json::object server_protocol::server_info() const { return {{"name", identity_.name}, {"version", identity_.version}}; }

} // namespace mcp
