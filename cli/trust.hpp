// `code-executor trust`: approves the tools of a server as they are now, or shows how they differ from what was
// approved.
#pragma once

#include "cli/doctor.hpp"
#include "config/environment.hpp"
#include "config/settings.hpp"

#include <string>
#include <vector>

namespace cli {

struct approval {
  std::string server;
  std::vector<std::string> tools; ///< empty: all
  bool only_show = false;
};

/// What counts is the list that a server of ours has read last, which may be running. At a terminal (`is_attended`) it
/// is shown, and approved only after a yes. The exit code: 0 when the tools are approved, or shown; 1 when the answer
/// is no, that can not be written, or nothing is known of the server; 2 when there is no such server or tool.
int trust_tools(const config::environment& environment, const config::settings& settings, const approval& wanted,
                output_form form);

} // namespace cli
