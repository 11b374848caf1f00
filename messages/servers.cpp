#include "messages/servers.hpp"

#include "text/printable.hpp"
#include "text/utf8.hpp"

#include <algorithm>

namespace msg {

namespace {

constexpr size_t shown_bytes_max = 200;

bool is_plain(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' || c == '-' || c == '.';
}

std::string why_not(const server_entry& entry) {
  auto file = text::quoted(entry.source, shown_bytes_max);
  if (entry.trust == trust_level::changed)
    return "needs your approval again: its entry in " + file + ", a file of the project, is not what you have approved";
  if (entry.trust == trust_level::rejected)
    return "is not started: you have rejected it in " + entry.client;
  return "needs your approval: "
         + (entry.workspace.empty() ? "it has come or changed in a file that programs may write while the server ran, "
                                    : std::string{"it stands in a file of the project, "})
         + file;
}

std::string command_with(const char* verb, std::string_view server) {
  bool is_option = !server.empty() && server.front() == '-';
  return std::string{"code-executor "} + verb + (is_option ? " -- " : " ") + shell_word(server);
}

} // namespace

std::string shell_word(std::string_view text) {
  if (!text.empty() && text.front() != '-' && std::all_of(text.begin(), text.end(), is_plain))
    return std::string{text};
  std::string out = "'";
  for (auto c : text)
    out += c == '\'' ? std::string{"'\\''"} : std::string{c};
  return out + "'";
}

std::string command_to_trust(std::string_view server) {
  bool is_option = !server.empty() && server.front() == '-';
  return std::string{"code-executor trust --server"} + (is_option ? "=" : " ") + shell_word(server);
}

std::string command_to_login(std::string_view server) { return command_with("login", server); }

std::string command_to_logout(std::string_view server) { return command_with("logout", server); }

bool is_trusted(const server_entry& entry) {
  return entry.trust == trust_level::user || entry.trust == trust_level::approved;
}

fault refusal_to_start(const server_entry& entry) {
  if (is_trusted(entry))
    return {};
  auto where = entry.workspace.empty() ? std::string{} : ", in " + text::quoted(entry.workspace, shown_bytes_max);
  auto command = command_to_trust(entry.name);
  auto what = "server '" + text::quoted(entry.name, shown_bytes_max) + "' " + why_not(entry)
              + ". A person can look at it with `" + command + " --show` and approve it with `" + command + "`" + where;
  return fault{errc::needs_approval, text::printable(what)}.at(entry.name);
}

bool is_same_server(const server_entry& a, const server_entry& b) {
  auto told = b;
  told.disabled = a.disabled;
  told.shadows = a.shadows;
  return a == told;
}

const char* to_string(server_state state) {
  switch (state) {
    case server_state::idle: return "idle";
    case server_state::starting: return "starting";
    case server_state::ready: return "connected";
    case server_state::backing_off: return "failed";
    case server_state::stopping: return "stopping";
    case server_state::unusable: return "unusable";
    case server_state::unapproved: return "needs approval";
    case server_state::rejected: return "rejected";
    case server_state::needs_login: return "needs login";
  }
  return "unknown";
}

const char* to_string(breaker_state state) {
  switch (state) {
    case breaker_state::closed: return "closed";
    case breaker_state::open: return "open";
    case breaker_state::half_open: return "half-open";
  }
  return "unknown";
}

} // namespace msg
