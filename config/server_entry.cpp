#include "config/server_entry.hpp"

#include "config/entry_fields.hpp"
#include "config/entry_login.hpp"
#include "config/entry_policy.hpp"
#include "config/shell_words.hpp"

#include <filesystem>
#include <iterator>
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
bool is_built_in(std::string_view type) {
  return type == "builtin" || type == "platform" || type == "frontend" || type == "inline_python";
}

/// A text or, with its arguments, a list; Claude's programs know no list.
void read_command(entry_fields& fields, const client_file& client, msg::server_entry& to) {
  auto* command = fields.find({"command", "cmd"});
  if (!command || !command->is_array() || is_written_by(client, "Claude")) {
    to.command = fields.text({"command", "cmd", "executable"});
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
  to.cwd = fields.text({"cwd", "workingDirectory"});
  to.env_file = fields.text({"envFile", "env_file"});
  to.env_names = fields.texts({"env_vars", "env_keys"});
}

/// Whether a path begins somewhere by itself, or with a variable that may say where.
bool has_beginning(std::string_view path) { return path.starts_with('/') || path.starts_with('$'); }

/// mcporter takes a command without arguments for a line of words, unless it is the path of a file, and starts it in
/// the folder of its file.
void read_as_mcporter(const std::string& file, msg::server_entry& to) {
  namespace fs = std::filesystem;
  std::error_code ec;
  auto folder = fs::path{file}.parent_path();
  auto words = split_words(to.command);
  if (words.empty())
    return;
  if (to.args.empty() && !(to.command.find('/') != to.command.npos && fs::is_regular_file(folder / to.command, ec))) {
    to.command = std::move(words.front());
    to.args.assign(std::next(words.begin()), words.end());
  }
  if (to.cwd == "~" || to.cwd.starts_with("~/"))
    to.cwd.replace(0, 1, "${HOME}");
  if (!has_beginning(to.cwd))
    to.cwd = to.cwd.empty() ? folder.string() : (folder / to.cwd).lexically_normal().string();
}

void read_address(entry_fields& fields, msg::server_entry& to) {
  to.url = fields.text({"url", "serverUrl", "httpUrl", "uri", "baseUrl", "server_url", "base_url"});
  to.headers = fields.pairs({"headers", "http_headers"});
  to.header_names = fields.pairs({"env_http_headers"});
  to.bearer_name = fields.text({"bearer_token_env_var"});
  read_login(fields, to.login);
}

/// What the entry calls its kind; empty: nothing.
std::string type_of(entry_fields& fields) {
  if (fields.find({"type", "transportType"}))
    return fields.text({"type", "transportType"});
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
  bool is_sse = is_gemini || is_written_by(client, "Cline"); // their `url` is SSE by definition
  return is_sse ? transport_kind::sse : transport_kind::automatic;
}

/// Why it can not be started; empty: it can.
std::string unusable(const entry_fields& fields, const msg::server_entry& entry, std::string_view type) {
  if (!entry.command.empty())
    return {};
  if (!entry.url.empty() && type == "ws")
    return "servers over WebSocket are not supported";
  if (!entry.url.empty())
    return {};
  if (fields.find({"settings"}) || type == "extension")
    return "it belongs to an extension of the client, which alone knows how to start it";
  return "the entry has no 'command'";
}

/// What is started or reached. `fields`: of the entry, or of the object in it that says so.
/// False: it is a part of the client, no server.
bool read_connection(entry_fields& fields, const client_file& client, msg::server_entry& to) {
  auto type = type_of(fields);
  if (is_built_in(type))
    return false;
  read_process(fields, client, to);
  if (is_written_by(client, "mcporter"))
    read_as_mcporter(to.source, to);
  read_address(fields, to);
  to.unusable = unusable(fields, to, type);
  bool is_process = !to.command.empty() || to.url.empty();
  to.transport = is_process ? transport_kind::stdio : transport_of(fields, client, type);
  return true;
}

} // namespace

entry_outcome read_entry(const client_file& client, const config_file& file, const std::string& part, std::string name,
                         const json::value& value, file_problems& problems) {
  entry_fields fields{file, part, name, value, problems};
  if (fields.is_broken())
    return {};
  msg::server_entry entry;
  entry.name = name;
  entry.source = file.path();
  entry.client = client.client;
  entry.syntax = client.syntax;
  // Cline's newer entries: all of the connection is in there, and nothing of it counts outside.
  auto* inner = fields.find({"transport"});
  entry_fields connection = inner && inner->is_object()
                              ? entry_fields{file, member_path(part, "transport"), std::move(name), *inner, problems}
                              : fields;
  if (!read_connection(connection, client, entry))
    return {};
  entry.disabled = fields.flag({"disabled"}, false, true) || !fields.flag({"enabled"}, true, false);
  read_policy(fields, client, entry);
  if (fields.is_broken() || connection.is_broken())
    return {std::nullopt, std::move(entry), fields.is_policy_broken()};
  return {std::move(entry), std::nullopt, false};
}

} // namespace config
