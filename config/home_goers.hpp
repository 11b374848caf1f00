// Commands that go to a home folder without naming one.
#pragma once

#include "config/shell_text.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace config {

enum class home_goal : uint8_t {
  none,
  own,
  other, ///< of a user who is not the one whose home is `home`, or may not be
};

/// `cd`, `systemd-run ...`, `su - USER -c TEXT`, `sudo -i ...`
home_goal goes_home(const std::vector<text_word>& words, std::string_view home);

} // namespace config
