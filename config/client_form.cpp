#include "config/client_form.hpp"

#include "config/shown.hpp"
#include "text/utf8.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <iterator>
#include <span>

namespace config {

namespace json = boost::json;

namespace {

enum class kind : uint8_t { text, texts, variables, anything };

struct field {
  std::string_view name;
  kind is = kind::anything;
};

struct form {
  std::string_view client; ///< client_file::client
  std::string_view name;   ///< for people
  std::string_view container;
  std::span<const field> fields;
  std::span<const std::string_view> remote_types; ///< with a `url`; else `type` is "stdio", or not there
};

constexpr field claude_fields[] = {
  {"type", kind::text},
  {"command", kind::text},
  {"args", kind::texts},
  {"env", kind::variables},
  {"url", kind::text},
  {"headers", kind::variables},
  // Nothing of these says what is started.
  {"headersHelper"},
  {"oauth"},
  {"timeout"},
  {"description"},
  {"disabled"},
  {"enabled"},
  {"alwaysAllow"},
  {"autoApprove"},
  {"enabledTools"},
  {"disabledTools"},
  // Ours, which limit it. Claude Code starts every server at once, so `eager` is no more than that.
  {"includeTools"},
  {"excludeTools"},
  {"rateLimit"},
  {"timeoutMs"},
  {"maxConcurrent"},
  {"idleTimeout"},
  {"eager"},
};
constexpr std::string_view claude_remote_types[] = {"http", "sse"};

constexpr form forms[] = {{"Claude Code (project)", "Claude Code", "mcpServers", claude_fields, claude_remote_types}};

const form* find_form(std::string_view client) {
  auto* found = std::find_if(std::begin(forms), std::end(forms), [&](auto& f) { return f.client == client; });
  return found == std::end(forms) ? nullptr : found;
}

const field* find_field(const form& of, std::string_view name) {
  auto found = std::find_if(of.fields.begin(), of.fields.end(), [&](auto& f) { return f.name == name; });
  return found == of.fields.end() ? nullptr : &*found;
}

bool is_of_kind(kind wanted, const json::value& value) {
  auto is_text = [](const json::value& v) { return v.is_string(); };
  switch (wanted) {
    case kind::text: return value.is_string();
    case kind::texts:
      return value.is_array() && std::all_of(value.get_array().begin(), value.get_array().end(), is_text);
    case kind::variables:
      return value.is_object() && std::all_of(value.get_object().begin(), value.get_object().end(), [&](auto& v) {
               return is_text(v.value());
             });
    case kind::anything: return true;
  }
  return false;
}

const char* name_of(kind wanted) {
  return wanted == kind::text ? "a string" : wanted == kind::texts ? "a list of strings" : "an object of strings";
}

std::string quoted_shortly(std::string_view key) { return "'" + text::quoted(key, shown_bytes_max) + "'"; }

/// `field`: where in the entry. Empty `what`: there is none.
struct difference {
  std::string field, what;
};

difference of_fields(const form& client, const json::object& entry) {
  for (auto& [key, value] : entry) {
    auto* known = find_field(client, key);
    if (!known)
      return {key, quoted_shortly(key) + " is nothing that " + std::string{client.name} + " reads"};
    if (!is_of_kind(known->is, value))
      return {key, quoted_shortly(key) + " is not " + name_of(known->is) + ", which " + std::string{client.name}
                     + " takes there alone"};
  }
  return {};
}

/// A program or an address, as its type says.
difference of_type(const form& client, const json::object& entry) {
  auto* type = entry.if_contains("type");
  std::string_view said = type ? std::string_view{type->get_string()} : "stdio";
  bool is_remote = std::find(client.remote_types.begin(), client.remote_types.end(), said) != client.remote_types.end();
  if (!is_remote && said != "stdio")
    return {"type", "the type " + quoted_shortly(said) + " is nothing that " + std::string{client.name} + " knows"};
  auto *needed = is_remote ? "url" : "command", *other = is_remote ? "command" : "url";
  if (!entry.contains(needed))
    return {"", "the entry has no " + quoted_shortly(needed) + ", which " + std::string{client.name}
                  + " takes from one of type " + quoted_shortly(said)};
  if (entry.contains(other))
    return {other, quoted_shortly(other) + " is nothing that " + std::string{client.name} + " reads beside "
                     + quoted_shortly(needed)};
  return {};
}

difference of_entry(const form& client, const written_entry& entry) {
  if (entry.container != client.container)
    return {"", std::string{client.name} + " reads what stands in " + quoted_shortly(client.container) + " alone"};
  if (!entry.file.is_strict_json())
    return {"", std::string{client.name} + " can not read a file with comments or commas too many"};
  auto* object = entry.value.if_object();
  if (!object)
    return {"", "the entry is no object"};
  auto found = of_fields(client, *object);
  return found.what.empty() ? of_type(client, *object) : found;
}

} // namespace

bool has_form(std::string_view client) { return find_form(client) != nullptr; }

std::string difference_from(std::string_view client, const written_entry& entry) {
  auto* known = find_form(client);
  if (!known)
    return entry.file.place(entry.part) + ": nobody knows how " + std::string{client} + " reads it";
  auto found = of_entry(*known, entry);
  if (found.what.empty())
    return {};
  return entry.file.place(found.field.empty() ? entry.part : member_path(entry.part, found.field)) + ": " + found.what;
}

} // namespace config
