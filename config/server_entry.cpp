#include "config/server_entry.hpp"

#include "config/entry_fields.hpp"
#include "config/entry_policy.hpp"

#include <string_view>
#include <utility>

namespace config {

namespace json = boost::json;
using msg::transport_kind;

namespace {

struct transport_name {
  std::string_view name;
  transport_kind kind;
};
constexpr transport_name transports[] = {{"http", transport_kind::streamable_http},
                                         {"streamable-http", transport_kind::streamable_http},
                                         {"streamableHttp", transport_kind::streamable_http},
                                         {"streamable_http", transport_kind::streamable_http},
                                         {"sse", transport_kind::sse}};

/// Extensions of Goose that are parts of Goose.
bool is_built_in(std::string_view type) { return type == "builtin" || type == "platform" || type == "frontend" || type == "inline_python"; }

/// A text or, with its arguments, a list; Claude's programs know no list.
void read_command(entry_fields& fields, const client_file& client, msg::server_entry& to) {
  auto* command = fields.find({"command", "cmd"});
  if (!command || !command->is_array() || std::string_view{client.client}.starts_with("Claude")) {
    to.command = fields.text({"command", "cmd"});
    return;
  }
  to.args = fields.texts({"command", "cmd"});
  if (to.args.empty())
    return;
  to.command = std::move(to.args.front());
  to.args.erase(to.args.begin());
}

void read_process(entry_fields& fields, const client_file& client, msg::server_entry& to) {
  read_command(fields, client, to);
  for (auto& argument : fields.texts({"args"}))
    to.args.push_back(std::move(argument));
  to.env = fields.pairs({"env", "environment", "envs"});
  to.cwd = fields.text({"cwd"});
  to.env_file = fields.text({"envFile", "env_file"});
  to.env_names = fields.texts({"env_vars", "env_keys"});
}

/// What the entry calls its kind; empty: nothing.
std::string type_of(entry_fields& fields) {
  if (fields.find({"type"}))
    return fields.text({"type"});
  auto* other = fields.find({"transport", "source"});
  return other && other->is_string() ? std::string{other->get_string()} : std::string{};
}

transport_kind transport_of(const entry_fields& fields, const client_file& client, std::string_view type) {
  for (auto& t : transports)
    if (t.name == type)
      return t.kind;
  if (fields.find({"httpUrl"}))
    return transport_kind::streamable_http;
  bool is_gemini = client.syntax == msg::variable_syntax::gemini && client.timeout == timeout_unit::milliseconds;
  return is_gemini ? transport_kind::sse : transport_kind::automatic; // its `url` is SSE by definition
}

/// Why it can not be started; empty: it can.
std::string unusable(const entry_fields& fields, const msg::server_entry& entry, std::string_view type) {
  if (!entry.command.empty())
    return {};
  if (!entry.url.empty())
    return "servers with a url (HTTP, SSE) are not supported by this version";
  if (fields.find({"settings"}) || type == "extension")
    return "it belongs to an extension of the client, which alone knows how to start it";
  return "the entry has no 'command'";
}

} // namespace

entry_outcome read_entry(const client_file& client, const config_file& file, const std::string& part, std::string name, const json::value& value,
                         std::vector<std::string>& problems) {
  entry_fields fields{file, part, name, value, problems};
  if (fields.is_broken())
    return {};
  auto type = type_of(fields);
  if (is_built_in(type))
    return {};
  msg::server_entry entry;
  entry.name = std::move(name);
  entry.source = file.path();
  entry.client = client.client;
  entry.syntax = client.syntax;
  read_process(fields, client, entry);
  entry.url = fields.text({"url", "serverUrl", "httpUrl", "uri", "baseUrl"});
  entry.headers = fields.pairs({"headers", "http_headers"});
  entry.disabled = fields.flag({"disabled"}, false, true) || !fields.flag({"enabled"}, true, false);
  read_policy(fields, client, entry);
  entry.unusable = unusable(fields, entry, type);
  if (!entry.command.empty() || entry.url.empty())
    entry.transport = transport_kind::stdio;
  else
    entry.transport = transport_of(fields, client, type);
  if (fields.is_broken())
    return {std::nullopt, fields.is_policy_broken()};
  return {std::move(entry), false};
}

} // namespace config
