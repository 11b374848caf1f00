// Landlock by its system calls: a process gives up rights to files, sockets and other processes, for itself and all
// that it starts. Header of guest-init, so without a C++ library, allocation or exceptions.
//
// The numbers are the kernel's (Documentation/userspace-api/landlock.rst): the headers of Debian 12 stop at ABI 2.
// An older kernel has fewer rights to give up; what it does not know is left out.
#pragma once

#include <cstdint>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace sandbox::landlock {

inline constexpr uint64_t execute = 1u << 0, write_file = 1u << 1, read_file = 1u << 2, read_dir = 1u << 3;
inline constexpr uint64_t truncate = 1u << 14, ioctl_device = 1u << 15; ///< since ABI 3, and 5
/// No guest keeps the right to make these.
inline constexpr uint64_t make_device = 1u << 6 | 1u << 11, make_socket = 1u << 9;
/// Making, removing and renaming files, folders, links and FIFOs, writing to them, truncating them. Bits 0 to 12 are
/// ABI 1.
inline constexpr uint64_t change = write_file | (0x1ff0 & ~(make_device | make_socket)) | 1u << 13 | truncate;
inline constexpr uint64_t read = execute | read_file | read_dir;
inline constexpr uint64_t everything = read | change | make_device | make_socket | ioctl_device;
/// What a rule about something that is no folder may name.
inline constexpr uint64_t of_a_file = execute | write_file | read_file | truncate | ioctl_device;

inline constexpr uint64_t tcp = 3; ///< bind and connect, since ABI 4
/// Connecting to abstract Unix sockets, and signalling processes, that are not below us: since ABI 6.
inline constexpr uint64_t scopes = 3;

/// 0: this kernel has no Landlock, or it is switched off.
inline int abi() {
  constexpr int version = 1;
  auto found = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, version);
  return found < 0 ? 0 : static_cast<int>(found);
}

/// Rules that are being collected. Nothing is given up before `enforce`.
class ruleset {
public:
  ruleset() = default;
  ruleset(const ruleset&) = delete;
  ruleset& operator=(const ruleset&) = delete;
  ~ruleset() {
    if (fd_ >= 0)
      ::close(fd_);
  }

  /// Everything about files that this kernel knows needs a rule from now on; `network` (0 or `tcp`) has none.
  /// False, with errno: there is no Landlock.
  bool begin(uint64_t network) {
    struct { // landlock_ruleset_attr; an older kernel accepts more than it knows as long as that is zero
      uint64_t files, network, scopes;
    } attributes{0, 0, 0};
    auto version = abi();
    handled_ = everything & (version >= 5 ? ~0ull : ~ioctl_device) & (version >= 3 ? ~0ull : ~truncate)
               & (version >= 2 ? ~0ull : ~(1ull << 13));
    attributes.files = handled_;
    attributes.network = version >= 4 ? network : 0;
    attributes.scopes = version >= 6 ? scopes : 0;
    fd_ = static_cast<int>(::syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0));
    return fd_ >= 0;
  }

  bool begun() const { return fd_ >= 0; }

  /// Keeps `rights` for what was opened, or for everything below that folder. False: errno.
  bool keep(int opened, uint64_t rights) {
    struct __attribute__((packed)) {
      uint64_t rights;
      int32_t parent;
    } rule{rights & handled_, opened};
    struct stat found {};
    if (::fstat(opened, &found) == 0 && !S_ISDIR(found.st_mode))
      rule.rights &= of_a_file;
    constexpr int path_beneath = 1;
    return ::syscall(SYS_landlock_add_rule, fd_, path_beneath, &rule, 0) == 0;
  }

  /// Needs no_new_privs. False: errno.
  bool enforce() { return ::syscall(SYS_landlock_restrict_self, fd_, 0) == 0; }

private:
  int fd_ = -1;
  uint64_t handled_ = 0;
};

} // namespace sandbox::landlock
