// What clients see of us: the tools that are listed, and the form of results.
#include "config/settings_parts.hpp"

namespace config {

void read_clients(section root, client_settings& to) {
  root.one_of<shown_tools>({"surface", "which tools are listed", "CODE_EXECUTOR_SURFACE"},
                           {{"code", shown_tools::code},
                            {"discovery", shown_tools::discovery},
                            {"bridge", shown_tools::bridge},
                            {"all", shown_tools::all}},
                           to.surface);
  root.one_of<result_form>({"results", "structured: also structuredContent, for programs", "CODE_EXECUTOR_RESULTS"},
                           {{"text", result_form::text}, {"structured", result_form::structured}}, to.results);
  root.flag({"resources", "list kept outputs as resources"}, to.resources);
}

} // namespace config
