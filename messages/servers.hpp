// Child servers: how they are configured and how they are.
#pragma once

#include "messages/fields.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace msg {

/// One entry of a client's configuration. Variables in it are not expanded yet: that happens at every start.
struct server_entry {
  std::string name;
  std::string command;
  std::vector<std::string> args;
  std::vector<std::pair<std::string, std::string>> env;
  std::string cwd;                  ///< empty: the server's own
  bool disabled = false;            ///< in the client; for us: lazy like any other
  std::string unusable;             ///< why it can not be started; empty: it can
  std::string source;               ///< file it came from
  std::vector<std::string> shadows; ///< files with an entry of the same name that this one hides
  auto fields() { return std::tie(name, command, args, env, cwd, disabled, unusable, source, shadows); }
};

enum class server_state : uint8_t { idle, starting, ready, backing_off, stopping, unusable };

const char* to_string(server_state state);

struct server_status {
  std::string name;
  server_state state = server_state::idle;
  uint32_t tool_count = 0;
  std::vector<std::string> tools; ///< names, as last listed
  uint32_t calls_in_flight = 0;
  uint32_t starts = 0;
  std::string last_error;
  bool disabled = false;
  std::string source;
  std::vector<std::string> shadows;
  auto fields() { return std::tie(name, state, tool_count, tools, calls_in_flight, starts, last_error, disabled, source, shadows); }
};

} // namespace msg
