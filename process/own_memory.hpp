// The limit on the data of this process, which its children do not have.
#pragma once

#include <cstdint>

namespace process {

/// An allocation above it fails from now on (std::bad_alloc), in this process only. Does nothing under a sanitizer, which needs memory of its
/// own, and where there is a lower limit already.
void limit_own_memory(uint64_t bytes);

/// For the child between vfork and exec: it gets the limit that we had.
void give_back_memory_limit() noexcept;

} // namespace process
