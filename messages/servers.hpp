// Child servers: how they are configured and how they are.
#pragma once

#include "messages/errors.hpp"
#include "messages/fields.hpp"
#include "messages/policy.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace msg {

enum class transport_kind : uint8_t { stdio, automatic, streamable_http, sse };

/// How the client that a file belongs to writes variables.
enum class variable_syntax : uint8_t {
  none,     ///< text is taken as it is
  shell,    ///< ${NAME}, ${NAME:-otherwise}: Claude Code, and files that belong to no client
  editor,   ///< ${env:NAME}, ${userHome}, ${workspaceFolder}, ${input:id}, ${file:/path}: Cursor, VS Code, Windsurf
  gemini,   ///< $NAME, ${NAME}
  opencode, ///< {env:NAME}, {file:path}
  mustache, ///< ${{ secrets.NAME }}: Continue
};

/// Whose word an entry is. Nothing of an entry that the user does not vouch for is started, nor is anything of ours put
/// into it.
enum class trust_level : uint8_t {
  user,       ///< it stands in a file of the user's own, or in one that the user has named
  approved,   ///< in a file of the project; the user has approved it, here or in the client
  unapproved, ///< in a file of the project
  changed,    ///< the same, and the user has approved it as it was before
  rejected,   ///< in a file of the project, and the user has said no to it in the client
};

/// How we log in at a server that is reached by its `url` (OAuth 2.1), as far as its entry says.
struct login_settings {
  std::string client_id; ///< that was given out by hand; empty: we make ourselves known
  std::string client_secret;
  std::vector<std::string> scopes; ///< empty: those that the server names
  std::string metadata_url;        ///< of a document about us that the server may read (a client id); empty: none
  bool is_for_machines = false;    ///< client credentials: nobody is asked
  bool is_off = false;             ///< there is no login, whatever the server says
  bool operator==(const login_settings&) const = default;
  auto fields() { return std::tie(client_id, client_secret, scopes, metadata_url, is_for_machines, is_off); }
};

/// One entry of a client's configuration. Variables in it are not expanded yet: that happens at every start.
struct server_entry {
  std::string name;
  std::string command;
  std::vector<std::string> args;
  std::vector<std::pair<std::string, std::string>> env;
  std::string cwd;                    ///< empty: the server's own
  std::vector<std::string> env_names; ///< variables of ours that it gets under their own names
  std::string env_file;               ///< with more variables; what `env` sets counts more
  transport_kind transport = transport_kind::stdio;
  std::string url; ///< of the other transports
  std::vector<std::pair<std::string, std::string>> headers;
  std::vector<std::pair<std::string, std::string>> header_names; ///< headers that are variables of ours, by their names
  std::string bearer_name; ///< of a variable of ours with the token that is sent; empty: none
  login_settings login;
  variable_syntax syntax = variable_syntax::shell;
  std::string workspace; ///< the project that the file belongs to; empty: none
  std::string scope;     ///< the folder in which it means this server; empty: it is the same everywhere
  std::string client;    ///< whose file it is, e.g. "Cursor (project)"
  trust_level trust = trust_level::user;
  bool disabled = false;            ///< in the client; for us: lazy like any other, and never started on our own
  std::string unusable;             ///< why it can not be started; empty: it can
  std::string source;               ///< file it came from
  std::vector<std::string> shadows; ///< files with an entry of the same name that this one hides
  // ---- keys of ours; zero and false: as the settings say
  name_policy tools;            ///< includeTools, excludeTools: names of tools, without the server's
  rate_limit rate;              ///< rateLimit
  uint32_t call_timeout_ms = 0; ///< timeoutMs: of one call
  uint32_t calls_max = 0;       ///< maxConcurrent: sent to it at once
  uint32_t idle_ms = 0;         ///< idleTimeout: then it is stopped
  bool eager = false;           ///< eager: started with us, and never stopped for being idle
  bool operator==(const server_entry&) const = default;
  auto fields() {
    return std::tie(name, command, args, env, cwd, env_names, env_file, transport, url, headers, header_names,
                    bearer_name, login, syntax, workspace, scope, client, trust, disabled, unusable, source, shadows,
                    tools, rate, call_timeout_ms, calls_max, idle_ms, eager);
  }
};

/// Whether the entry is the word of the user.
bool is_trusted(const server_entry& entry);

/// errc::none: the entry is the word of the user. Else (needs_approval) why not, and the command that approves it.
fault refusal_to_start(const server_entry& entry);

/// What a person types to approve the entry of that server: `code-executor trust --server 'my server'`.
std::string command_to_trust(std::string_view server);

/// What a person types to log in at that server: `code-executor login 'my server'`.
std::string command_to_login(std::string_view server);
/// The same to end it.
std::string command_to_logout(std::string_view server);

/// A text as one word of a shell.
std::string shell_word(std::string_view text);

/// Whether a process that was started for one serves the other as well: what is only told to people does not count.
bool is_same_server(const server_entry& a, const server_entry& b);

enum class server_state : uint8_t {
  idle,
  starting,
  ready,
  backing_off,
  stopping,
  unusable,
  unapproved,
  rejected,
  needs_login, ///< it has refused the last request for want of a login
};

const char* to_string(server_state state);

/// What another configuration has changed, by name.
struct server_changes {
  std::vector<std::string> added, removed, changed;
  auto fields() { return std::tie(added, removed, changed); }
};

/// Why a server that a run waits for may not have answered.
struct server_start {
  std::string server;     ///< empty: there is no such server
  uint32_t since_ms = 0;  ///< that it is being started; 0: it is not
  std::string printed;    ///< the last line that was no message, shortened; empty: there was none
  uint32_t unread_ms = 0; ///< that it has read nothing of what it was sent; 0: it reads, or not for long
  std::string tool = {};  ///< of it that is meant, as far as that is known
  uint32_t unsent = 0;    ///< calls of the run that it has not been sent, as it has enough to do
  auto fields() { return std::tie(server, since_ms, printed, unread_ms, tool, unsent); }
};

/// Whether calls are let through to a server that keeps failing.
enum class breaker_state : uint8_t {
  closed,    ///< yes
  open,      ///< no: it has failed too often in a short time
  half_open, ///< one, to see
};

const char* to_string(breaker_state state);

struct server_status {
  std::string name;
  server_state state = server_state::idle;
  uint32_t tool_count = 0;
  std::vector<std::string> tools; ///< names, as last listed
  uint32_t calls_in_flight = 0;   ///< waiting ones included
  uint32_t starts = 0;
  std::string last_error;
  bool disabled = false;
  std::string source;
  std::vector<std::string> shadows;
  breaker_state breaker = breaker_state::closed;
  uint32_t retry_after_ms = 0; ///< until it may be called again; 0: now
  std::string client;
  uint32_t held_tools = 0; ///< that have changed since they were approved
  uint32_t unread_ms = 0;  ///< that it has read nothing of what it was sent; 0: it reads, or not for long
  auto fields() {
    return std::tie(name, state, tool_count, tools, calls_in_flight, starts, last_error, disabled, source, shadows,
                    breaker, retry_after_ms, client, held_tools, unread_ms);
  }
};

using server_entries = std::vector<server_entry>;
using server_list = std::vector<server_status>;

} // namespace msg
