// Files of settings of git, taken apart as git does.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace config {

/// A variable of a file that git-config(1) describes.
struct git_setting {
  std::string section;   ///< in small letters, without the name of a part of it (`remote` of `[remote "origin"]`)
  std::string name;      ///< in small letters
  std::string value;     ///< without quotes, comments and what escapes; what follows a NUL is no part of it
  std::string part = {}; ///< `origin`; empty: it is of the section itself
};

/// All of them, in their order; tried out with git 2.39. A line that git would refuse, with the whole file, is skipped.
/// Where versions of git read a value differently (a tab in it was a blank until 2.45) it is there in both ways.
std::vector<git_setting> read_git_settings(std::string_view text);

} // namespace config
