// That one set-up at a time writes.
#pragma once

#include "messages/errors.hpp"
#include "process/child.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace setup {

/// Waiting for another set-up.
inline constexpr std::chrono::milliseconds lock_wait_max{5'000};

/// In the state folder, of all that set-ups keep.
std::string folder_of_setups(const std::string& state_folder);

/// Only one process has it. Ends with this, and leaves nothing behind: neither its file nor folders that it made,
/// unless something has come into them.
class setup_lock {
public:
  setup_lock() = default;
  setup_lock(setup_lock&& o) noexcept = default;
  setup_lock& operator=(setup_lock&& o) noexcept;
  ~setup_lock();

  /// Waits for another one. The fault says that it goes on, or why the folder can not be used.
  static msg::outcome<setup_lock> take(const std::string& state_folder, std::chrono::milliseconds wait = lock_wait_max);

private:
  process::descriptor file_;
  std::string path_;
  std::vector<std::string> made_; ///< folders, the outermost first
};

} // namespace setup
