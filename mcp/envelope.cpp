#include "mcp/envelope.hpp"

#include "text/json_beginning.hpp"
#include "text/json_text.hpp"
#include "text/utf8.hpp"

#include <boost/json/array.hpp>

#include <algorithm>
#include <array>

namespace mcp {

namespace json = boost::json;

namespace {

constexpr size_t client_name_bytes_max = 100;
constexpr size_t shown_meta_bytes_max = 80;

constexpr std::array<std::string_view, 9> modern_methods{
  "server/discover", "tools/list",   "tools/call",          "resources/list",      "resources/templates/list",
  "resources/read",  "prompts/list", "completion/complete", "subscriptions/listen"};

constexpr std::array<std::string_view, 5> gone_methods{"initialize", "ping", "logging/setLevel", "resources/subscribe",
                                                       "resources/unsubscribe"};

const json::value* meta_of(const message_view& message, std::string_view key) {
  auto* meta = message.params ? message.params->if_contains("_meta") : nullptr;
  return meta && meta->is_object() ? meta->get_object().if_contains(key) : nullptr;
}

rpc_refusal invalid(std::string_view key, const json::value* is, std::string_view wanted) {
  return {rpc_error::invalid_params,
          "Invalid params: _meta[\"" + std::string{key} + "\"] must be " + std::string{wanted} + ", not "
            + (is ? text::quoted_json(*is, shown_meta_bytes_max) : "absent"),
          {}};
}

} // namespace

bool has_envelope(const message_view& message) { return meta_of(message, meta_key::version) != nullptr; }

std::string_view claimed_revision(const message_view& message) {
  auto* version = meta_of(message, meta_key::version);
  return version && version->is_string() ? std::string_view{version->get_string()} : std::string_view{};
}

envelope read_envelope(const message_view& request) {
  envelope out;
  out.from.spoken = revision::r2026_07_28;
  auto* version = meta_of(request, meta_key::version);
  auto* capabilities = meta_of(request, meta_key::capabilities);
  if (!version || !version->is_string())
    out.refused = invalid(meta_key::version, version, "a string");
  else if (!capabilities || !capabilities->is_object())
    out.refused = invalid(meta_key::capabilities, capabilities, "an object");
  else if (version->get_string() != name_of(revision::r2026_07_28))
    out.refused = unsupported_revision(version->get_string());
  out.from.name = client_name_of(meta_of(request, meta_key::client));
  out.from.abilities = read_abilities(capabilities);
  auto* level = meta_of(request, meta_key::log_level);
  if (auto wanted = level && level->is_string() ? msg::log_level_of(level->get_string()) : std::nullopt)
    out.from.log = {*wanted, true};
  return out;
}

std::string client_name_of(const json::value* client_info) {
  auto* name = client_info && client_info->is_object() ? client_info->get_object().if_contains("name") : nullptr;
  return name && name->is_string() ? text::quoted(name->get_string(), client_name_bytes_max) : std::string{};
}

bool is_modern_method(std::string_view method) {
  return std::find(modern_methods.begin(), modern_methods.end(), method) != modern_methods.end();
}

bool is_gone_method(std::string_view method) {
  return std::find(gone_methods.begin(), gone_methods.end(), method) != gone_methods.end();
}

std::string_view member_named(std::string_view method) {
  if (method == "tools/call" || method == "prompts/get")
    return "name";
  return method == "resources/read" ? "uri" : "";
}

json::array served_revisions() {
  json::array out;
  for (auto name = revision_names.rbegin(); name != revision_names.rend(); ++name)
    out.push_back(json::value(*name));
  return out;
}

rpc_refusal unsupported_revision(std::string_view requested) {
  auto shown = text::quoted(requested, shown_meta_bytes_max);
  return {rpc_error::unsupported_revision,
          "Unsupported protocol version " + shown
            + (is_known(requested) ? ": it begins with 'initialize', and no request names it in _meta" : ""),
          json::object{{"supported", served_revisions()}, {"requested", shown}}};
}

} // namespace mcp
