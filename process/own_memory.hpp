// The limit on the data of this process, which its children do not have.
#pragma once

#include <cstdint>

namespace process {

/// An allocation above it fails from now on (std::bad_alloc), in this process only. Does nothing under a sanitizer, which needs memory of its
/// own, and where there is a lower limit already.
void limit_own_memory(uint64_t bytes);

/// For the child between vfork and exec: it gets the limit that we had.
void give_back_memory_limit() noexcept;

/// Before the first thread: few arenas, so that what one thread has freed serves the others, and large blocks go back to the system at once.
void settle_allocator();

/// What was freed and is still ours, if it is much. Takes milliseconds for each 100 MB.
void give_free_memory_back();

} // namespace process
