// What the process itself needs and has left, for those who look after it.
#pragma once

#include "messages/fields.hpp"

#include <cstdint>
#include <string>

namespace msg {

/// Numbers that could not be had are 0.
struct machine_status {
  uint64_t resident_bytes = 0;
  uint32_t descriptors = 0; ///< open
  uint32_t threads = 0;
  std::string state_folder; ///< empty: there is none
  uint64_t disk_free_bytes = 0;
  uint64_t disk_bytes = 0; ///< of the file system that the state folder is on
  auto fields() { return std::tie(resident_bytes, descriptors, threads, state_folder, disk_free_bytes, disk_bytes); }
};

} // namespace msg
