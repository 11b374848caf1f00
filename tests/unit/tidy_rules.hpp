// What tidy_test bans, and what is excepted from any of its rules.
#pragma once

#include <cstddef>
#include <string_view>

namespace tidy {

struct banned {
  std::string_view text;
  std::string_view instead;
};
inline constexpr banned banned_calls[] = {
  {"std::cout", "stdout belongs to the protocol: spdlog, or a result"},
  {"printf(", "stdout belongs to the protocol: spdlog, or a result"},
  {"puts(", "stdout belongs to the protocol: spdlog, or a result"},
  {"std::system(", "process::start"},
  {"popen(", "process::start"},
  {"sleep_for(", "asio::steady_timer: one thread serves everybody"},
  {"sleep_until(", "asio::steady_timer: one thread serves everybody"},
  {"usleep(", "asio::steady_timer: one thread serves everybody"},
  {"std::regex", "a scanner of its own: std::regex recurses per character of hostile text"},
  {"std::rand(", "a seeded generator"},
  {"strtok(", "std::string_view"},
  {"sprintf(", "std::to_string, spdlog::fmt_lib"},
  {"std::ifstream", "config::read_file_text, or open() with O_NONBLOCK and a look at what was opened: a pipe or a "
                    "device would be waited for"},
  {"std::fstream", "the same as of std::ifstream"},
  {"fopen(", "the same as of std::ifstream"},
  {"detach()", "asio::thread_pool: a thread that nobody joins outlives what it uses"},
};

/// All exceptions of all rules: rule, file, why.
struct exception {
  std::string_view rule, file, why;
};
inline constexpr exception exceptions[] = {
  {"std::cout", "cli/", "the command line prints what it was asked for"},
  {"printf(", "cli/", "the command line prints what it was asked for"},
  {"printf(", "bench/", "a program of its own: prints what it measured"},
  {"std::cout", "subprojects/json-schema/bench/", "a program of its own: prints what it measured"},
  {"std::cout", "tests/signatures/print_declarations.cpp", "a program of its own: prints declarations"},
  {"sleep_for(", "recording/recorder.cpp", "waits for a lock of another process before anything is served"},
  {"sleep_for(", "tests/", "tests wait for other processes"},
  {"std::ifstream", "tests/", "reads what tests have written"},
  {"std::fstream", "tests/", "changes what tests have written"},
  {"std::ifstream", "bench/", "reads what it has written"},
  {"std::ifstream", "subprojects/json-schema/bench/", "reads files of its suite"},
  {"std::ifstream", "subprojects/json-schema/tests/", "reads files of its suite"},
  {"std::ifstream", "subprojects/text/tests/", "reads files of the tests"},
  {"std::ifstream", "subprojects/toon/tests/", "reads files of the tests"},
  {"std::ifstream", "subprojects/testing/", "reads what tests have written"},
  {"std::ifstream", "catalog/pinning/entries.cpp",
   "a file of the state folder, where programs write nothing, and looked at before"},
  {"std::ifstream", "sandbox/isolation/self_test.cpp", "a file of the kernel, in /proc"},
  {"std::ifstream", "sandbox/isolation/isolation.cpp", "files of the kernel, in /proc"},
  {"std::ifstream", "sandbox/container/container_owner.cpp", "a file of the kernel, in /proc"},
  {"std::ifstream", "process/machine.cpp", "a file of the kernel, in /proc"},
  {"std::ifstream", "process/mount_names.cpp", "a file of the kernel, in /proc"},
  {"std::ifstream", "process/own_memory.cpp", "a file of the kernel, in /proc"},
  {"std::ifstream", "cli/doctor.cpp", "files of the kernel, in /proc"},
  {"caf", "actors/", "the actors"},
  {"caf", "cli/", "starts the actor system"},
  {"caf", "messages/actors.hpp", "the interfaces of all actors"},
  {"caf", "messages/listeners.hpp", "the same, of those who hear of what others do"},
  {"caf", "messages/atoms.hpp", "the verbs of their messages"},
  {"caf", "tests/actors/", "test actors"},
  {"caf", "tests/simulation/", "starts all actors"},
  {"printf(", "tests/simulation/main.cpp", "a program of its own, for developers"},
  {"caf", "tests/unit/messages/inspect_test.cpp", "messages must cross CAF's wire"},
  {"function", "subprojects/json-schema/src/metaschemas_2020_12.cpp", "a table of texts"},
  {"function", "subprojects/json-schema/src/metaschemas_draft7.cpp", "a table of texts"},
  {"meson", "tests/actors/", "listed as actor_sources when it exists"},
};

/// Classes that have grown beyond methods_max: no more methods than these, and the number goes down with each that
/// goes.
struct large_class {
  std::string_view file, name;
  size_t methods;
};
inline constexpr size_t methods_max = 25;
inline constexpr large_class large_classes[] = {
  {"actors/child_server.hpp", "child_server_behavior", 31},
  {"actors/bridge/http_front.hpp", "http_front", 28},
  {"actors/client_session.hpp", "client_session_state", 30},
  {"actors/run/tool_calls.hpp", "tool_calls", 26},
  {"catalog/catalog.hpp", "tool_catalog", 46},
  {"config/program_files.cpp", "file_finder", 29},
  {"config/settings_section.hpp", "settings_section", 46},
  {"mcp/client_protocol.hpp", "client_protocol", 30},
  {"mcp/http_connection.cpp", "http_connection", 26},
  {"mcp/relay/relay.hpp", "relay", 43},
  {"mcp/relay/server_end.hpp", "server_end", 29},
  {"subprojects/http/src/client_transfer.hpp", "client_transfer", 31},
  {"subprojects/tool-search/include/tool_search/search_index.hpp", "search_index", 34},
  {"subprojects/toon/src/decoder.hpp", "decoder", 29},
};

} // namespace tidy
