// Where variables of a shell are named in a command line other than to read them.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace config {

/// There are so many ways to set a variable (`D=`, `D+=`, `read D`, `printf -v D`, `for D in`, `unset D`, `${D:=x}`)
/// that what counts is its name: wherever it stands without a `$` in front, it may be set.
class variable_mentions {
public:
  variable_mentions() = default;
  explicit variable_mentions(const std::vector<std::string>& words);

  size_t of(std::string_view name) const;
  /// What a text is given as `$1` stays that: it defines no function and sets none.
  bool are_positions_kept() const { return are_positions_kept_; }

private:
  void note(std::string_view text);

  std::map<std::string, size_t, std::less<>> times_;
  bool are_positions_kept_ = true;
};

} // namespace config
