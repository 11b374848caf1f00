// The tokens of clients as they are at this moment, for who is asked with every request.
#pragma once

#include "config/client_tokens.hpp"

#include <string>
#include <string_view>

#include <sys/stat.h>

namespace config {

/// Looks at the file with each call, and reads it when it is another one than before.
class known_tokens {
public:
  /// `folder`: of the state.
  explicit known_tokens(const std::string& folder);

  /// Whose token that is; empty: nobody's.
  std::string name_of(std::string_view token);
  /// Whether that client has one.
  bool has(std::string_view name);
  /// There is one, or has been one since the start: the last one that is revoked opens no door.
  bool has_any();

private:
  void look();

  std::string path_;
  client_tokens stored_;
  client_tokens_list all_;
  struct ::timespec changed_ {};
  bool had_any_ = false;
};

} // namespace config
