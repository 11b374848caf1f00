// What a server says of its own secrets is told to nobody: a line such as "401: key sk-... is not valid" becomes part of errors that models read.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace mcp {

/// In the place of each.
inline constexpr std::string_view secret_shown = "***";

class secret_mask {
public:
  /// Of several lines, each line is one. Those below 8 bytes are words, and stay.
  explicit secret_mask(const std::vector<std::string>& secrets);

  /// Without the secrets. `is_cut`: the line goes on, perhaps in the middle of one, whose beginning at its end goes too.
  std::string operator()(std::string line, bool is_cut) const;

private:
  void add(std::string secret);

  std::vector<std::string> secrets_; ///< the longest first: one may be the beginning of another
};

} // namespace mcp
