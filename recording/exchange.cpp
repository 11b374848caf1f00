#include "recording/exchange.hpp"

#include "audit/redact.hpp"
#include "mcp/asked_secrets.hpp"
#include "mcp/fields.hpp"
#include "text/canonical_json.hpp"
#include "text/digest.hpp"
#include "text/json_text.hpp"

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace recording {

namespace json = boost::json;

namespace {

constexpr size_t key_digits = 16;
constexpr std::string_view redacted_text = "[redacted]";
/// Texts are not cut.
constexpr size_t any_bytes = size_t{1} << 40;

/// By the words of names_secret(), and by names that these do not have.
bool is_secret(std::string_view name) {
  constexpr std::array<std::string_view, 8> more{"authorization", "cookie", "set-cookie",  "passwords",
                                                 "secrets",       "pin",    "passphrases", "credentials"};
  std::string low{name};
  std::transform(low.begin(), low.end(), low.begin(), [](unsigned char c) { return std::tolower(c); });
  return mcp::names_secret(name) || std::find(more.begin(), more.end(), low) != more.end();
}

/// Everything in it that is a text or a number.
json::value redacted_whole(const json::value& value, const std::function<std::string(std::string)>& mask) {
  if (value.is_null() || value.is_bool())
    return value;
  if (auto* list = value.if_array()) {
    json::array out;
    out.reserve(list->size());
    for (auto& item : *list)
      out.push_back(redacted_whole(item, mask));
    return out;
  }
  if (auto* object = value.if_object()) {
    json::object out;
    for (auto& [name, member] : *object)
      out.emplace(mask(std::string{name}), redacted_whole(member, mask));
    return out;
  }
  return json::value(redacted_text);
}

/// JSON in a text stays JSON: what reads it has the same parts.
std::string redacted_within(const json::string& given, const std::function<std::string(std::string)>& mask) {
  auto first = given.empty() ? ' ' : given[0];
  if (first == '{' || first == '[')
    if (auto inner = msg::document::parse(given); inner.ok()) {
      auto shown = without_secrets(inner.value.value(), mask);
      return shown == inner.value.value() ? std::string{given} : text::to_text(shown);
    }
  return audit::redacted(mask(std::string{given}), any_bytes);
}

} // namespace

std::string question::tool() const {
  return method == "tools/call" ? std::string{mcp::string_or(params, "name")} : std::string{};
}

question question_of(std::string server, const msg::document& request) {
  question out;
  auto* message = request.value().if_object();
  out.server = std::move(server);
  out.method = std::string{mcp::string_in(message, "method")};
  if (auto* params = mcp::object_in(message, "params")) {
    out.params = *params;
    out.params.erase("_meta");
  }
  return out;
}

std::string key_of(const question& asked, std::string_view salt) {
  auto params = text::canonical_json(json::value(asked.params));
  return text::digest{}.add(salt).add(asked.server).add(asked.method).add(params).hex().substr(0, key_digits);
}

secret_names names_in(std::string_view method) {
  return method == "tools/list" ? secret_names::kept : secret_names::redacted;
}

json::value without_secrets(const json::value& value, const std::function<std::string(std::string)>& mask,
                            secret_names names) {
  if (auto* object = value.if_object()) {
    json::object out;
    out.reserve(object->size());
    for (auto& [name, member] : *object) {
      bool is_whole = names == secret_names::redacted && is_secret(name);
      out.emplace(mask(std::string{name}),
                  is_whole ? redacted_whole(member, mask) : without_secrets(member, mask, names));
    }
    return out;
  }
  if (auto* list = value.if_array()) {
    json::array out;
    out.reserve(list->size());
    for (auto& item : *list)
      out.push_back(without_secrets(item, mask, names));
    return out;
  }
  auto* given = value.if_string();
  return given ? json::value(redacted_within(*given, mask)) : value;
}

msg::document fault_line(std::string_view server, const json::object& fault,
                         const std::function<std::string(std::string)>& mask) {
  auto names = mcp::string_or(fault, "on") == "list" ? secret_names::kept : secret_names::redacted;
  auto shown = without_secrets(fault, mask, names);
  if (auto* canary = fault.if_contains("canary")) // of the plan, and told apart by its digest
    shown.get_object()["canary"] = *canary;
  return msg::document{json::object{{"server", server}, {"fault", std::move(shown)}}};
}

msg::document obeyed_line(std::string_view tool, std::string_view canary) {
  return msg::document{json::object{{"obeyed", json::object{{"tool", tool}, {"canary", canary}}}}};
}

} // namespace recording
