// The file of the store: its tables, and what older versions had.
#pragma once

#include "sqlite/file.hpp"

namespace memory {

/// Who may see a row, as it is stored.
enum class kept_state : int64_t {
  own = 0,       ///< the scope that wrote it
  shared = 1,    ///< every scope: a copy, made when a person shared it; the scope is whose it was
  unclaimed = 2, ///< no scope: an older version did not write down whose it is
};

const sqlite::file_kind& kind_of_file();

} // namespace memory
