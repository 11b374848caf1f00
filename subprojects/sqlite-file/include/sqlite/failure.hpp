// Why something could not be done.
#pragma once

#include <cstdint>
#include <string>

namespace sqlite {

enum class failure_kind : uint8_t {
  none,
  busy,     ///< another program is at it: it can be tried again
  unusable, ///< the folder or the file: the user has to look at it
  failed,   ///< SQLite says why
};

struct failure {
  failure_kind kind = failure_kind::none;
  std::string text{}; ///< one sentence without a full stop, with the path
  explicit operator bool() const { return kind != failure_kind::none; }
};

} // namespace sqlite
