#include "cli/known_tools.hpp"

#include "actors/bridge/background.hpp"
#include "content_filter/known_content.hpp"

namespace cli {

proxy::discovery known_tools(const config::settings& settings, const std::vector<msg::server_entry>& entries) {
  return {settings.state_folder, entries, settings.security.tools, bridge::rule_of(settings.security.pins),
          content_filter::knows_content};
}

} // namespace cli
