#include "mcp/http_door.hpp"

#include "mcp/http_reply.hpp"
#include "mcp/http_request_check.hpp"
#include "mcp/jsonrpc.hpp"
#include "text/ascii.hpp"
#include "text/utf8.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <utility>

namespace mcp {

namespace {

constexpr size_t shown_name_bytes_max = 120;
constexpr std::string_view metadata_path = "/.well-known/oauth-protected-resource";
constexpr auto methods = "GET, POST, DELETE, OPTIONS";
/// Those of the protocol, and what is copied from a call's arguments.
constexpr auto sent_fields = "Accept, Authorization, Content-Type, Last-Event-ID, Mcp-Method, Mcp-Name, "
                             "Mcp-Protocol-Version, Mcp-Session-Id";
constexpr auto read_fields = "Mcp-Session-Id, WWW-Authenticate";

std::string shown_name(std::string_view name) { return text::quoted(name, shown_name_bytes_max); }

bool is_of_this_machine(std::string_view name) { return name == "localhost" || name == "127.0.0.1" || name == "[::1]"; }

/// Of `name:port`, or of an address in brackets with a port. Empty: what follows the name is no port.
std::string_view without_port(std::string_view authority) {
  auto colon = authority.rfind(':');
  auto bracket = authority.rfind(']');
  if (colon == authority.npos || (bracket != authority.npos && colon < bracket))
    return authority;
  auto port = authority.substr(colon + 1);
  bool is_port = !port.empty() && std::all_of(port.begin(), port.end(), [](char c) { return c >= '0' && c <= '9'; });
  return is_port ? authority.substr(0, colon) : std::string_view{};
}

bool has_field(const http::headers& fields, std::string_view name) {
  return std::any_of(fields.begin(), fields.end(), [&](auto& field) { return field.name == name; });
}

/// Who sends two of them wants each of us to see another one.
bool is_repeated(const http::headers& fields, std::string_view name) {
  return std::count_if(fields.begin(), fields.end(), [&](auto& field) { return field.name == name; }) > 1;
}

bool is_among(const std::vector<std::string>& all, std::string_view one) {
  return std::any_of(all.begin(), all.end(), [&](auto& each) { return text::in_small_letters(each) == one; });
}

/// RFC 9728, 3.1: at the root, and for the endpoint.
bool is_metadata_path(std::string_view path) {
  return path == metadata_path || path == std::string{metadata_path} + std::string{http_endpoint};
}

/// Where clients look for a login, or begin one: also below the endpoint, as OpenID Connect has it.
bool is_login_path(std::string_view path) {
  constexpr std::string_view documents[]{metadata_path, "/.well-known/oauth-authorization-server",
                                         "/.well-known/openid-configuration"};
  constexpr std::string_view places[]{"/register", "/authorize", "/token"};
  auto below = path.starts_with(http_endpoint) ? path.substr(http_endpoint.size()) : path;
  return std::ranges::any_of(documents, [&](auto document) { return below.starts_with(document); })
         || std::ranges::any_of(places, [&](auto place) { return path == place; });
}

http::response not_allowed(std::string_view what) {
  return http_refusal_response(403, rpc_error::invalid_request, "Forbidden: " + std::string{what}, {});
}

} // namespace

http::response http_refusal_response(uint16_t status, int32_t code, std::string_view message, http::headers fields) {
  return json_response(status, make_error({}, code, message).text(), std::move(fields));
}

bool http_door::is_host(std::string_view value) const {
  auto name = text::in_small_letters(without_port(value));
  return !name.empty() && (http::is_own_host(value, rules_.bound) || is_among(rules_.allowed_hosts, name));
}

bool http_door::is_origin(std::string_view value) const {
  auto origin = text::in_small_letters(value);
  if (is_among(rules_.allowed_origins, origin))
    return true;
  auto scheme = origin.starts_with("http://") ? 7U : origin.starts_with("https://") ? 8U : 0U;
  return scheme > 0 && is_of_this_machine(without_port(std::string_view{origin}.substr(scheme)));
}

std::optional<http::response> http_door::check(const http::request_head& head) const {
  auto host = http::find_header(head.fields, "host");
  if (!is_host(host))
    return not_allowed("this server is not reached by the name " + shown_name(host)
                       + "; server.allowedHosts in the settings allows names");
  for (auto name : {"origin", "authorization", "mcp-session-id", "mcp-protocol-version", "last-event-id"})
    if (is_repeated(head.fields, name))
      return http_refusal_response(400, rpc_error::invalid_request,
                                   "Bad Request: there are several " + std::string{name} + " headers", {});
  auto origin = http::find_header(head.fields, "origin");
  if (has_field(head.fields, "origin") && !is_origin(origin))
    return not_allowed("pages of " + shown_name(origin)
                       + " may not use this server; server.allowedOrigins in the settings allows them");
  if (is_metadata_path(head.path) && !rules_.resource_metadata.empty())
    return metadata(head);
  if (is_login_path(head.path) && rules_.resource_metadata.empty())
    return head.method == "OPTIONS" ? preflight(head) : no_login(head);
  if (head.path != http_endpoint)
    return http_refusal_response(404, rpc_error::invalid_request,
                                 "Not Found: messages go to " + std::string{http_endpoint}, {});
  if (head.method == "OPTIONS")
    return preflight(head);
  if (auto refused = check_token(head))
    return refused;
  if (head.method != "POST" && head.method != "GET" && head.method != "DELETE")
    return http_refusal_response(405, rpc_error::invalid_request, "Method Not Allowed", {{"Allow", methods}});
  auto wrong = head.method == "POST"  ? check_post(head.fields)
               : head.method == "GET" ? check_get(head.fields)
                                      : http_refusal{};
  if (!wrong)
    return std::nullopt;
  return http_refusal_response(wrong.status, wrong.error.code, wrong.error.message, fields_for(head));
}

std::optional<http::response> http_door::check_token(const http::request_head& head) const {
  if (!rules_.wants_token() || !name_of(head).empty())
    return std::nullopt;
  bool has_one = !http::find_header(head.fields, "authorization").empty();
  std::string challenge = R"(Bearer realm="code-executor")";
  if (has_one)
    challenge += R"(, error="invalid_token", error_description="the token is not known, or was revoked")";
  if (!rules_.resource_metadata.empty())
    challenge += ", resource_metadata=\"" + rules_.scheme + "://" + std::string{http::find_header(head.fields, "host")}
                 + std::string{metadata_path} + std::string{http_endpoint} + "\"";
  auto fields = fields_for(head);
  fields.push_back({"WWW-Authenticate", std::move(challenge)});
  return http_refusal_response(401, rpc_error::invalid_request,
                               has_one ? "Unauthorized: the token is not known, or was revoked"
                                       : "Unauthorized: there must be an Authorization header with a Bearer token; "
                                         "`code-executor token new NAME` makes one",
                               std::move(fields));
}

std::string http_door::name_of(const http::request_head& head) const {
  constexpr std::string_view scheme = "bearer ";
  std::string_view value = http::find_header(head.fields, "authorization");
  bool is_bearer = text::in_small_letters(value.substr(0, scheme.size())) == scheme;
  return is_bearer ? rules_.name_of_token(text::trimmed(value.substr(scheme.size()))) : std::string{};
}

/// For everybody, pages too: there is nothing in it that is not to be known.
http::response http_door::metadata(const http::request_head& head) const {
  if (head.method != "GET" && head.method != "HEAD" && head.method != "OPTIONS")
    return http_refusal_response(405, rpc_error::invalid_request, "Method Not Allowed", {{"Allow", "GET, HEAD"}});
  return json_response(200, rules_.resource_metadata, {{"Access-Control-Allow-Origin", "*"}});
}

/// Clients begin a login whenever they hear 401. As an error of OAuth, which they show; one of JSON-RPC they can not
/// read.
http::response http_door::no_login(const http::request_head& head) const {
  constexpr auto with_token = "this server has no OAuth login: it wants the header Authorization: Bearer TOKEN; "
                              "`code-executor token new NAME` prints one";
  constexpr auto without = "this server has no OAuth login, and wants no token";
  boost::json::object error{{"error", "invalid_request"},
                            {"error_description", rules_.wants_token() ? with_token : without}};
  return json_response(404, boost::json::serialize(error), fields_for(head));
}

http::response http_door::preflight(const http::request_head& head) const {
  http::response out{204, {}, {}, fields_for(head)};
  out.fields.push_back({"Access-Control-Allow-Methods", methods});
  out.fields.push_back({"Access-Control-Allow-Headers", sent_fields});
  return out;
}

http::headers http_door::fields_for(const http::request_head& head) const {
  auto origin = http::find_header(head.fields, "origin");
  if (origin.empty() || !is_origin(origin))
    return {};
  return {{"Access-Control-Allow-Origin", std::string{origin}},
          {"Access-Control-Expose-Headers", read_fields},
          {"Vary", "Origin"}};
}

} // namespace mcp
