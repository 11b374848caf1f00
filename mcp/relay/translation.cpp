#include "mcp/relay/translation.hpp"

#include "mcp/fields.hpp"
#include "mcp/relay/tool_shapes.hpp"
#include "mcp/told_error.hpp"
#include "mcp/value_size.hpp"
#include "text/json_text.hpp"

#include <boost/json/array.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace mcp::relay {

namespace json = boost::json;

namespace {

/// Whose results say how long they may be kept.
constexpr std::array<std::string_view, 5> cached_methods{"tools/list", "prompts/list", "resources/list",
                                                         "resources/templates/list", "resources/read"};

bool is_cached(std::string_view method) {
  return std::find(cached_methods.begin(), cached_methods.end(), method) != cached_methods.end();
}

bool crosses_eras(revision a, revision b) { return has_handshake(a) != has_handshake(b); }

/// `_meta` of a request; empty: it needs none.
json::object meta_to_server(uint64_t number, const json::object* said, const request_terms& terms) {
  auto meta = said ? *said : json::object{};
  if (meta.contains("progressToken"))
    meta["progressToken"] = number;
  if (has_handshake(terms.server)) {
    for (auto key : {meta_key::version, meta_key::capabilities, meta_key::client, meta_key::log_level})
      if (!has_handshake(terms.client))
        meta.erase(key);
    return meta;
  }
  meta[meta_key::version] = name_of(terms.server);
  if (!terms.who)
    return meta; // the client has said the rest itself
  meta[meta_key::capabilities] = modern_capabilities(*terms.who);
  if (!terms.who->info.is_null())
    meta[meta_key::client] = terms.who->info;
  if (!terms.log_level.empty())
    meta[meta_key::log_level] = terms.log_level;
  return meta;
}

request_labels labels_of(revision spoken, const message_view& request) {
  std::string name{string_in(request.params, member_named(request.method))};
  request_labels out;
  out.about.method = request.method;
  if (request.method == "tools/call")
    out.about.tool = name;
  if (!has_handshake(spoken)) {
    out.method = request.method;
    out.name = std::move(name);
  }
  return out;
}

/// A result for a client that begins with a handshake, of a server that does not.
void change_for_earlier_client(const json::object& result, std::string_view method, member_changes& out) {
  out.dropped = {"resultType", "ttlMs", "cacheScope"};
  if (method == "tools/list")
    describe_for_earlier_client(result, out.set);
  if (method == "tools/call")
    tell_earlier_client(result, out.set);
  auto* meta = object_in(&result, "_meta");
  if (meta && meta->contains(meta_key::server) && !is_longer_than(copied_bytes_max, result.at("_meta"))) {
    auto rest = *meta;
    rest.erase(meta_key::server);
    if (rest.empty())
      out.dropped.push_back("_meta");
    else
      out.set["_meta"] = std::move(rest);
  }
}

/// The other way round.
void change_for_later_client(const json::object& result, const answer_terms& terms, member_changes& out) {
  out.set["resultType"] = "complete";
  if (is_cached(terms.method)) { // it may change at any time, and says so otherwise
    out.set["ttlMs"] = 0;
    out.set["cacheScope"] = "private";
  }
  if (terms.method == "tools/list")
    describe_for_later_client(result, out.set);
  auto* said = object_in(&result, "_meta");
  if (!terms.server_info.is_null() && !(said && is_longer_than(copied_bytes_max, result.at("_meta")))) {
    auto meta = said ? *said : json::object{};
    meta[meta_key::server] = terms.server_info;
    out.set["_meta"] = std::move(meta);
  }
}

/// Which resource there is not: clients of 2026-07-28 find that in the error.
json::object with_uri(json::object error, std::string_view uri) {
  auto& data = error["data"];
  if (data.is_null())
    data = json::object{};
  if (auto* fields = data.if_object(); fields && !fields->contains("uri"))
    (*fields)["uri"] = uri;
  return error;
}

} // namespace

// ---- to the server ---------------------------------------------------------------------------

own_request request_to_server(uint64_t number, const msg::document& message, const message_view& request,
                              const request_terms& terms) {
  auto head =
    R"({"jsonrpc":"2.0","id":)" + std::to_string(number) + R"(,"method":)" + text::to_text(json::value(request.method));
  auto labels = labels_of(terms.server, request);
  member_changes changes;
  changes.set = terms.more;
  if (!terms.more.empty() || crosses_eras(terms.client, terms.server))
    changes.dropped = {"inputResponses", "requestState"}; // of an earlier round
  auto* said = object_in(request.params, "_meta");
  if (auto meta = meta_to_server(number, said, terms); !meta.empty())
    changes.set["_meta"] = std::move(meta);
  else
    changes.dropped.push_back("_meta");
  for (auto& [name, value] : terms.more)
    std::erase(changes.dropped, std::string_view{name});
  static const json::object nothing;
  if (!request.params && changes.set.empty())
    return {msg::spliced_text{head + "}"}, std::move(labels)};
  auto& params = request.params ? *request.params : nothing;
  return {with_changes(head + R"(,"params":)", message, params, std::move(changes), "}"), std::move(labels)};
}

// ---- to the client ---------------------------------------------------------------------------

msg::spliced_text result_to_client(std::string head, const msg::document& message, const json::value& result,
                                   const answer_terms& terms, std::string tail) {
  auto* fields = result.if_object();
  bool stays = terms.replaced.empty() && !crosses_eras(terms.server, terms.client);
  if (!fields || stays)
    return {std::move(head), message.part(result), std::move(tail)};
  member_changes changes{terms.replaced, {}};
  if (crosses_eras(terms.server, terms.client))
    has_handshake(terms.client) ? change_for_earlier_client(*fields, terms.method, changes)
                                : change_for_later_client(*fields, terms, changes);
  return with_changes(std::move(head), message, *fields, std::move(changes), std::move(tail));
}

json::value error_to_client(const json::value& error, const answer_terms& terms) {
  auto code = error_code(&error);
  auto other = code;
  if (code == rpc_error::unanswered || code == rpc_error::login_wanted)
    other = rpc_error::internal_error; // ours, of no specification
  if (code == rpc_error::resource_not_found && !has_handshake(terms.client))
    other = rpc_error::invalid_params;
  auto* fields = error.if_object();
  bool names_resource = fields && terms.method == "resources/read" && code == rpc_error::invalid_params
                        && object_in(fields, "data") && object_in(fields, "data")->contains("uri");
  if (names_resource && has_handshake(terms.client) && !has_handshake(terms.server))
    other = rpc_error::resource_not_found;
  bool wants_uri = !terms.uri.empty() && has_handshake(terms.server) && !has_handshake(terms.client)
                   && other == rpc_error::invalid_params;
  if (!fields || (other == code && !wants_uri))
    return error;
  auto out = *fields;
  out["code"] = other;
  return wants_uri ? with_uri(std::move(out), terms.uri) : out;
}

uint16_t status_of(int64_t code, revision client) {
  if (has_handshake(client))
    return 200;
  switch (code) {
    case rpc_error::method_not_found: return 404;
    case rpc_error::missing_capability:
    case rpc_error::header_mismatch:
    case rpc_error::unsupported_revision: return 400;
    default: return 200;
  }
}

json::object discovery_of(const msg::document& hello) {
  auto* said = hello.value().if_object();
  json::object out{{"supportedVersions", served_revisions()}, {"capabilities", json::object{}}};
  if (auto* capabilities = object_in(said, "capabilities")) {
    auto own = *capabilities;
    own.erase("tasks"); // another protocol of the same name
    out["capabilities"] = std::move(own);
  }
  if (auto* instructions = said ? said->if_contains("instructions") : nullptr)
    out["instructions"] = *instructions;
  out["resultType"] = "complete";
  out["ttlMs"] = 0;
  out["cacheScope"] = "private";
  if (auto* info = said ? said->if_contains("serverInfo") : nullptr)
    out["_meta"] = json::object{{meta_key::server, *info}};
  return out;
}

json::object handshake_of(const msg::document& hello, revision client) {
  auto* said = hello.value().if_object();
  json::object out{{"protocolVersion", name_of(client)}, {"capabilities", json::object{}}};
  if (auto* capabilities = object_in(said, "capabilities"))
    out["capabilities"] = *capabilities;
  auto* info = object_in(object_in(said, "_meta"), meta_key::server);
  out["serverInfo"] = info ? *info : json::object{{"name", "unnamed"}, {"version", "0"}};
  if (auto* instructions = said ? said->if_contains("instructions") : nullptr)
    out["instructions"] = *instructions;
  return out;
}

} // namespace mcp::relay
