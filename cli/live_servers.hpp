// How the servers are in the processes that serve just now (live_port.hpp).
#pragma once

#include "messages/servers.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <sys/types.h>
#include <vector>

namespace cli {

struct live_process {
  int64_t pid = 0;
  int64_t since_s = 0;                     ///< that it serves, since 1970
  std::vector<msg::server_status> servers; ///< that it has started, or tried to
};

/// All together, for all that are asked.
inline constexpr std::chrono::milliseconds live_answers_max{500};

std::string live_folder(const std::string& state_folder);
/// Of the socket of that process, in the folder.
std::string live_name(pid_t pid);
/// The same by an open descriptor of the folder.
std::string live_path(int folder, const std::string& name);

/// What a process tells of itself: one line of JSON. Of servers that were never started nothing is in it.
std::string live_text(const live_process& here);

/// Those of this user that answer in time. What processes have left behind that are gone is removed.
std::vector<live_process> ask_live_processes(const std::string& state_folder);

} // namespace cli
