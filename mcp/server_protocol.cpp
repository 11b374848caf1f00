#include "mcp/server_protocol.hpp"

#include "mcp/trace.hpp"
#include "messages/invariant.hpp"
#include "messages/limits.hpp"
#include "text/json_text.hpp"
#include "text/utf8.hpp"

#include <boost/json/array.hpp>

#include <algorithm>
#include <limits>

namespace mcp {

namespace json = boost::json;
namespace limits = msg::limits;

namespace {

constexpr size_t client_name_bytes_max = 100;
/// What a client of 2026 asks first. That the method is unknown tells it to begin with `initialize`.
constexpr std::string_view discovery_probe = "server/discover";

std::string name_in(const json::object& params) {
  auto* info = params.if_contains("clientInfo");
  auto* name = info && info->is_object() ? info->get_object().if_contains("name") : nullptr;
  return name && name->is_string() ? text::quoted(name->get_string(), client_name_bytes_max) : std::string{};
}

} // namespace

server_protocol::server_protocol(server_identity identity, server_callbacks callbacks)
  : identity_(std::move(identity)),
    callbacks_(std::move(callbacks)),
    to_client_([this](msg::spliced_text message) { callbacks_.send(std::move(message)); }, [this] { return room(); }),
    last_number_(identity_.numbers_after) {}

void server_protocol::reject(int32_t code, std::string_view why, const msg::document& told) {
  auto id = classify(told.value()).id;
  auto* fields = told.value().if_object();
  bool is_request = fields && fields->contains("method");
  if (!is_request && to_client_.fail(id, std::string{why}))
    return;
  bool is_free = is_request && !numbers_.contains(text::to_text(id));
  callbacks_.send(make_error(is_free ? id : json::value{}, code, why));
}

void server_protocol::receive(const msg::document& message) {
  if (message.value().is_array())
    receive_batch(message);
  else
    receive_one(message, nullptr);
}

void server_protocol::receive_batch(const msg::document& message) {
  auto& messages = message.value().get_array();
  if (!has_batches(revision_) || !initialized_)
    return reject(rpc_error::invalid_request,
                  "Invalid Request: batches are part of revision 2025-03-26 only; send one message per line");
  if (messages.empty() || messages.size() > limits::client_batch_max)
    return reject(rpc_error::invalid_request, "Invalid Request: a batch holds 1 to "
                                                + std::to_string(limits::client_batch_max) + " messages, not "
                                                + std::to_string(messages.size()));
  auto in = std::make_shared<batch>();
  in->outstanding = 1; // this loop
  for (auto& m : messages)
    receive_one(message.part(m), in);
  answer(in, msg::spliced_text{});
}

/// Sends, or keeps until the last request of the batch is answered. An empty text only counts.
void server_protocol::answer(const batch_ptr& in, msg::spliced_text text) {
  if (!in)
    return callbacks_.send(std::move(text));
  if (auto written = text.text_bytes() > 0 ? text.text() : std::string{}; !written.empty()) {
    in->bytes += written.size();
    batched_bytes_ += written.size();
    in->answers.push_back(std::move(written));
  }
  msg::ensure(in->outstanding > 0, "no more answers than requests in a batch");
  if (--in->outstanding > 0 || in->answers.empty())
    return;
  batched_bytes_ -= in->bytes;
  std::string whole = "[";
  for (auto& a : in->answers)
    whole += (whole.size() > 1 ? "," : "") + a;
  callbacks_.send(msg::spliced_text{whole + "]"});
}

void server_protocol::receive_one(const msg::document& message, const batch_ptr& in) {
  auto view = classify(message.value());
  switch (view.what) {
    case message_view::kind::request:
      if (in)
        ++in->outstanding;
      return handle_request(message, view, in);
    case message_view::kind::notification: return handle_notification(view);
    case message_view::kind::response: return to_client_.receive(message, view);
    case message_view::kind::invalid:
      if (view.method.empty() && to_client_.fail(view.id, view.problem))
        return;
      break;
  }
  if (in)
    ++in->outstanding;
  answer(in, make_error(view.id, rpc_error::invalid_request, "Invalid Request: " + view.problem));
}

void server_protocol::handle_request(const msg::document& message, const message_view& request, const batch_ptr& in) {
  if (request.method == "initialize")
    return initialize(request, in);
  if (request.method == "ping")
    return answer(in, make_response(request.id, msg::document{json::object{}}));
  if (!initialized_ && request.method != discovery_probe)
    return answer(in, make_error(request.id, rpc_error::invalid_request,
                                 "Invalid Request: '" + std::string{request.method} + "' before 'initialize'"));
  if (request.method == "tools/list")
    return list_tools(request, in);
  if (request.method == "tools/call")
    return call_tool(message, request, in);
  if (request.method.starts_with("resources/") && callbacks_.list_resources)
    return handle_resources(request, in);
  answer(in, make_error(request.id, rpc_error::method_not_found, "Method not found: " + std::string{request.method}));
}

void server_protocol::initialize(const message_view& request, const batch_ptr& in) {
  auto* wanted = request.params ? request.params->if_contains("protocolVersion") : nullptr;
  if (!wanted || !wanted->is_string())
    return answer(in, make_error(request.id, rpc_error::invalid_params,
                                 "Invalid params: 'protocolVersion' must be a string, not "
                                   + (wanted ? text::quoted(text::to_text(*wanted), 80) : "absent")));
  revision_ = negotiate(wanted->get_string());
  initialized_ = true;
  client_name_ = name_in(*request.params);
  client_ = read_abilities(request.params->if_contains("capabilities"));
  json::object capabilities{{"tools", json::object{}}};
  if (identity_.declares_resources)
    capabilities["resources"] = json::object{};
  json::object result{{"protocolVersion", name_of(revision_)},
                      {"capabilities", std::move(capabilities)},
                      {"serverInfo", json::object{{"name", identity_.name}, {"version", identity_.version}}}};
  if (auto text = identity_.instructions ? identity_.instructions() : std::string{}; !text.empty())
    result["instructions"] = text;
  answer(in, make_response(request.id, msg::document{json::value(std::move(result))}));
}

/// Every list is one page: no cursor can have come from us.
bool server_protocol::wants_other_page(const message_view& request, const batch_ptr& in) {
  auto* cursor = request.params ? request.params->if_contains("cursor") : nullptr;
  if (!cursor || cursor->is_null())
    return false;
  answer(in, make_error(request.id, rpc_error::invalid_params,
                        "Invalid params: unknown 'cursor' " + text::quoted(text::to_text(*cursor), 80)));
  return true;
}

void server_protocol::list_tools(const message_view& request, const batch_ptr& in) {
  if (!wants_other_page(request, in))
    answer(in, make_response(request.id, callbacks_.list_tools(revision_)));
}

void server_protocol::handle_resources(const message_view& request, const batch_ptr& in) {
  if (request.method == "resources/read")
    return read_resource(request, in);
  bool templates = request.method == "resources/templates/list";
  if (!templates && request.method != "resources/list")
    return answer(
      in, make_error(request.id, rpc_error::method_not_found, "Method not found: " + std::string{request.method}));
  if (wants_other_page(request, in))
    return;
  if (templates)
    return answer(in, make_response(request.id, callbacks_.list_resource_templates()));
  if (auto number = open(request, in); number != 0)
    callbacks_.list_resources(number);
}

void server_protocol::read_resource(const message_view& request, const batch_ptr& in) {
  auto* uri = request.params ? request.params->if_contains("uri") : nullptr;
  if (!uri || !uri->is_string())
    return answer(in, make_error(request.id, rpc_error::invalid_params,
                                 "Invalid params: 'uri' must be a string, not "
                                   + (uri ? text::quoted(text::to_text(*uri), 80) : "absent")));
  if (auto number = open(request, in); number != 0)
    callbacks_.read_resource(number, std::string{uri->get_string()});
}

void server_protocol::call_tool(const msg::document& message, const message_view& request, const batch_ptr& in) {
  auto invalid = [&](const std::string& what) {
    answer(in, make_error(request.id, rpc_error::invalid_params, "Invalid params: " + what));
  };
  auto* name = request.params ? request.params->if_contains("name") : nullptr;
  if (!name || !name->is_string())
    return invalid("'name' must be a string, not " + (name ? text::quoted(text::to_text(*name), 80) : "absent"));
  auto* arguments = request.params->if_contains("arguments");
  if (arguments && !arguments->is_object() && !arguments->is_null())
    return invalid("'arguments' must be an object, not " + text::quoted(text::to_text(*arguments), 80));
  auto number = open(request, in);
  if (number == 0)
    return;
  bool wants_progress = !open_.at(number).progress_token.is_null();
  bool given = arguments && arguments->is_object();
  auto* meta = request.params->if_contains("_meta");
  auto trace = meta && meta->is_object() ? read_trace(meta->get_object()) : msg::trace_context{};
  bool is_marked = meta && meta->is_object() && meta->get_object().contains(run_marker);
  bool is_of_a_run = is_marked || client_name_ == identity_.name; // another of us calls for its programs only
  callbacks_.call_tool({number, std::string{name->get_string()},
                        given ? message.part(*arguments) : msg::document{json::object{}}, wants_progress,
                        std::move(trace), is_of_a_run});
}

request_number server_protocol::open(const message_view& request, const batch_ptr& in) {
  auto refuse = [&](int32_t code, const std::string& why) {
    answer(in, make_error(request.id, code, why));
    return request_number{0};
  };
  if (open_.size() >= limits::client_requests_max)
    return refuse(rpc_error::internal_error,
                  "Overloaded: " + std::to_string(open_.size()) + " requests are in flight, which is the limit");
  auto key = text::to_text(request.id);
  if (numbers_.contains(key))
    return refuse(rpc_error::invalid_request,
                  "Invalid Request: id " + text::quoted(key, 80) + " is in use by a request in flight");
  auto number = ++last_number_;
  open_request open{request.id, nullptr, in};
  auto* meta = request.params ? request.params->if_contains("_meta") : nullptr;
  auto* token = meta && meta->is_object() ? meta->get_object().if_contains("progressToken") : nullptr;
  if (token && (token->is_string() || token->is_int64() || token->is_uint64()))
    open.progress_token = *token;
  open_.emplace(number, std::move(open));
  numbers_.emplace(std::move(key), number);
  msg::ensure(open_.size() == numbers_.size(), "each request in flight is found by its id");
  return number;
}

void server_protocol::handle_notification(const message_view& notification) {
  if (notification.method != "notifications/cancelled" || !notification.params)
    return; // initialized, and what we do not know
  auto* id = notification.params->if_contains("requestId");
  auto found = id ? numbers_.find(text::to_text(*id)) : numbers_.end();
  if (found == numbers_.end())
    return; // answered already, or never seen
  auto number = found->second;
  auto request = open_.extract(number);
  numbers_.erase(found);
  if (auto& in = request.mapped().in)
    answer(in, msg::spliced_text{}); // the rest of its batch does not wait for it
  callbacks_.cancelled(number);
}

void server_protocol::respond(request_number number, msg::document result) {
  auto request = open_.extract(number);
  if (!request)
    return;
  auto& [id, token, in] = request.mapped();
  numbers_.erase(text::to_text(id));
  if (auto problem = problem_of_size(result, in); !problem.empty())
    return answer(in, make_error(id, rpc_error::internal_error, problem));
  answer(in, make_response(id, std::move(result)));
}

/// Answers of batches are part of what waits.
size_t server_protocol::room() const {
  auto room = callbacks_.room ? callbacks_.room() : std::numeric_limits<size_t>::max();
  return room - std::min(room, batched_bytes_);
}

/// Why it can not be sent; empty: it can.
std::string server_protocol::problem_of_size(const msg::document& result, const batch_ptr& in) const {
  auto bytes = result.text_bytes();
  auto together = bytes + (in ? in->bytes : 0);
  if (together > limits::client_answer_bytes_max)
    return (in ? "the answers of the batch have " : "the answer has ") + std::to_string(together >> 20)
           + " MiB; a client is sent " + std::to_string(limits::client_answer_bytes_max >> 20)
           + " MiB at most; ask for less, or let a program read it";
  if (bytes <= limits::client_small_answer_bytes_max || std::max(bytes, result.held_bytes()) <= room())
    return {};
  return "the answer has " + std::to_string(bytes >> 20)
         + " MiB, for which there is no room beside the answers that wait to be read; read them, then ask again";
}

void server_protocol::respond_error(request_number number, int32_t code, std::string_view message) {
  auto request = open_.extract(number);
  if (!request)
    return;
  numbers_.erase(text::to_text(request.mapped().id));
  answer(request.mapped().in, make_error(request.mapped().id, code, message));
}

void server_protocol::progress(request_number number, double progress, const std::string& message) {
  auto found = open_.find(number);
  if (found == open_.end() || found->second.progress_token.is_null() || (callbacks_.is_read && !callbacks_.is_read()))
    return;
  json::object params{{"progressToken", found->second.progress_token}, {"progress", progress}};
  if (revision_ >= revision::r2025_03_26)
    params["message"] = message;
  callbacks_.send(make_notification("notifications/progress", json::value(std::move(params))));
}

} // namespace mcp
