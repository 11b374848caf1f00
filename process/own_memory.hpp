// The limit on the data of this process, which its children do not have.
#pragma once

#include <cstdint>

namespace process {

/// An allocation above it fails from now on (std::bad_alloc), in this process only. Does nothing under a sanitizer,
/// which needs memory of its own, and where there is a lower limit already.
void limit_own_memory(uint64_t bytes);

/// For the child between vfork and exec: it gets the limit that we had.
void give_back_memory_limit() noexcept;

/// Before the first thread: few arenas, so that what one thread has freed serves the others, and large blocks go back
/// to the system at once.
void settle_allocator();

/// What was freed and is still this process's.
class free_memory {
public:
  free_memory();
  /// To the system, if it is much more than the last time. Reads /proc, and takes milliseconds for each 100 MB that it
  /// gives back.
  void give_back();

private:
  uint64_t resident_at_first_;
  uint64_t free_before_ = 0; ///< what glibc counts as free after the last time: it counts pages that it has given back
};

} // namespace process
