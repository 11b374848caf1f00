// The tokens of clients as they are at this moment, for who is asked with every request.
#pragma once

#include "config/client_tokens.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>

namespace config {

/// Looks at the file with each call, and reads it when it is another one than before.
class known_tokens {
public:
  /// `folder`: of the state.
  explicit known_tokens(const std::string& folder);

  /// Who has that token: its name and, behind a blank, what tells it from an earlier token of that name. Empty: nobody.
  std::string bearer_of(std::string_view token);
  /// Whether that bearer's token still counts.
  bool has(std::string_view bearer);
  /// Somebody has made one: from then on there is no way in without one, also when all are revoked, or the file is
  /// damaged, until that file is removed.
  bool are_wanted();

private:
  /// What a file looks like from outside.
  struct look_of_file {
    int64_t changed_s = 0, changed_ns = 0;
    uint64_t bytes = 0, number = 0;
    bool operator==(const look_of_file&) const = default;
  };
  /// Changes are in the log of the database first.
  using looks = std::array<look_of_file, 2>;

  static look_of_file look_at(const std::string& path);
  void look();

  std::string path_;
  client_tokens stored_;
  client_tokens_list all_;
  std::set<std::string, std::less<>> bearers_; ///< of all: each client is looked for twice a second
  looks seen_{};
  bool were_wanted_ = false;
};

} // namespace config
