#include "messages/log_level.hpp"

#include <algorithm>
#include <array>

namespace msg {

namespace {

constexpr std::array<std::string_view, 9> level_names{"debug",    "info",  "notice",    "warning", "error",
                                                      "critical", "alert", "emergency", "off"};

} // namespace

std::string_view to_string(log_level level) { return level_names.at(static_cast<size_t>(level)); }

std::optional<log_level> log_level_of(std::string_view name) {
  auto found = std::find(level_names.begin(), level_names.end() - 1, name);
  return found == level_names.end() - 1 ? std::nullopt
                                        : std::optional{static_cast<log_level>(found - level_names.begin())};
}

} // namespace msg
