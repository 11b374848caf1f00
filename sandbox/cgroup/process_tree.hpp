// A process and everything below it, and how much memory all of them take together. From /proc: for machines on which
// the kernel does not count for us.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <sys/types.h>

namespace sandbox {

class process_tree {
public:
  explicit process_tree(pid_t root) : root_(root) {}

  /// Bytes that all of them hold now. While that is certainly not above `limit_bytes` it is an upper bound, which is
  /// cheap; otherwise it is exact: a page that several share counts once.
  ///
  /// Counted are private memory, its page tables, and shared memory that is mapped. Not counted are pages of files on
  /// disk, and what no process has mapped: a memfd or a System V segment, which the filter of system calls denies, and
  /// the bounded tmpfs.
  uint64_t memory(uint64_t limit_bytes);

  /// Those that live, the root first. A process once seen stays known also when its parent dies.
  const std::vector<pid_t>& look();

  /// Bytes of one process, or of several.
  struct holding {
    uint64_t own = 0;    ///< private
    uint64_t shared = 0; ///< mapped, of no file on disk
    holding& operator+=(const holding& o) {
      own += o.own;
      shared += o.shared;
      return *this;
    }
  };

private:
  using seen_processes = std::map<pid_t, uint64_t>; ///< when each began: numbers are used again

  void walk(pid_t from, seen_processes& now);
  holding bound();
  holding exact();

  pid_t root_;
  seen_processes seen_;
  std::vector<pid_t> alive_;
  std::string births_; ///< when we looked last
};

} // namespace sandbox
