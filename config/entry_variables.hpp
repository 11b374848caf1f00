// The texts of an entry with their variables replaced.
#pragma once

#include "config/environment.hpp"
#include "config/variables.hpp"
#include "messages/errors.hpp"
#include "messages/servers.hpp"

#include <array>
#include <map>
#include <string>
#include <string_view>

namespace config {

using variable_map = std::map<std::string, std::string>;

/// What every program may expect; the list of the MCP SDKs, with the two that locale and temporary files need.
inline constexpr std::array<std::string_view, 8> inherited_variables{"HOME",  "LANG", "LOGNAME", "PATH",
                                                                     "SHELL", "TERM", "TMPDIR",  "USER"};

/// `variable` outlives it.
variable_scope scope_of(const msg::server_entry& entry, const environment& env, const variable_lookup& variable);

/// Looks up the same, and writes down what it found. Both outlive it.
variable_lookup noting(const variable_lookup& variable, variable_map& found);

/// Keeps the first fault.
class expander {
public:
  explicit expander(const variable_scope& scope) : scope_(scope) {}

  std::string operator()(std::string_view text);
  void fail(msg::fault why);
  const msg::fault& problem() const { return problem_; }

private:
  const variable_scope& scope_;
  msg::fault problem_;
};

} // namespace config
