#include "cli/known_tools.hpp"

#include "actors/bridge/background.hpp"

namespace cli {

proxy::discovery known_tools(const config::settings& settings, const std::vector<msg::server_entry>& entries) {
  return {settings.state_folder, entries, settings.security.tools, bridge::rule_of(settings.security.pins),
          bridge::what_is_private()};
}

} // namespace cli
