#include "config/settings_parts.hpp"

namespace config {

void read_faults(section root, section security, fault_settings& to) {
  root.object_or_path({"faults",
                       "a plan of faults that are injected between this program and the servers: the plan, or "
                       "the path of a file that has it",
                       "CODE_EXECUTOR_FAULTS"},
                      to.plan, to.file);
  security.flag({"allowFaults", "whether a run may bring a plan of faults for its own calls"}, to.of_runs);
}

} // namespace config
