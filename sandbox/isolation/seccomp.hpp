// The system calls that a guest may make, as a filter for the kernel (seccomp). guest-init applies it last.
//
// It lists what is denied, not what is allowed: a guest runs any program of the standard library, of numpy or of a
// subprocess, and a list of all that those need on every version of libc breaks programs and not attacks. What is
// denied is what reaches the kernel's newest and rarest code, or anything beyond the guest, and what no guest needs.
// System calls that did not exist when this list was made do not exist for guests either (ENOSYS), and neither do
// those of other architectures, which would go around the list.
//
// An error code, not death: libraries probe, and a program that is told EPERM can say so.
#pragma once

#include "messages/errors.hpp"
#include "process/child.hpp"

#include <memory>

namespace sandbox {

enum class filter_profile : uint8_t {
  boxed, ///< in namespaces of its own, next to all other walls
  /// On the host: in addition no network, no new processes, no reaching of other processes or of metadata of files.
  landlock_only,
};

/// The instructions in a sealed memory file, the same for all guests of the profile; read at offset 0.
/// The fault says what the kernel or libseccomp refused.
msg::outcome<std::shared_ptr<process::descriptor>> make_filter(filter_profile profile);

/// Whether this kernel runs such filters.
bool has_seccomp();

} // namespace sandbox
