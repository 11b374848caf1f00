// The keys of model providers that `code-executor setup` puts into the settings: by the name of a variable, never as
// text.
#pragma once

#include "config/environment.hpp"
#include "config/settings.hpp"
#include "messages/errors.hpp"
#include "setup/journal.hpp"

#include <optional>
#include <string>
#include <vector>

namespace cli {

/// What stands for a key in the settings.
struct provider_key {
  std::string provider;
  std::string variable;
};

/// `words`: `PROVIDER=env:NAME`. The fault never quotes what may be a key: the provider is unknown, the value is no
/// `env:NAME` or looks like a key itself, or the variable is not set, with which the server would not start.
msg::outcome<provider_key> parse_provider_key(const std::string& words, const config::variable_lookup& variables);

/// Of a file of settings that setup writes.
std::string settings_path(const config::environment& env);

enum class settings_wish : uint8_t {
  leave,
  explain, ///< a file with every setting explained, if there is none
};

/// Nothing: it says all that already. The fault begins with the place: the file is written in a way that can not be
/// changed so.
msg::outcome<std::optional<setup::file_change>> change_settings(const config::environment& env,
                                                                const config::settings& settings, settings_wish wish,
                                                                const std::vector<provider_key>& keys);

} // namespace cli
