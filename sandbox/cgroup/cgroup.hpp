// A cgroup for each guest: memory and processes of everything in it together, counted and limited by the kernel, and
// its part of the processor.
//
// Pages of a tmpfs count as memory of the process that wrote them, and no other limit sees them before they are there;
// the limit of a guest's cgroup is therefore its memory and its temp space (/tmp and /dev/shm) together.
#pragma once

#include "sandbox/cgroup/cgroup_place.hpp"

#include <asio/any_io_executor.hpp>
#include <asio/steady_timer.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace sandbox {

struct cgroup_limits {
  uint64_t memory_bytes = 0;
  uint32_t processes = 0; ///< threads count
};

class cgroups;

/// One guest's folders. They go with it, as soon as the last process is out of them.
class guest_cgroup {
public:
  /// Folders, as make() has made them.
  guest_cgroup(std::shared_ptr<cgroups> owner, std::string memory, std::string pids, std::string cpu);
  guest_cgroup(const guest_cgroup&) = delete;
  guest_cgroup& operator=(const guest_cgroup&) = delete;
  ~guest_cgroup();

  /// False: it can not be limited, and nothing may be started in it; cgroups::lack() says whether without it.
  bool limit(const cgroup_limits& limits);

  /// The files by which a process with one thread joins it, writing "0"; closed by joined().
  std::vector<int> joins() const;
  void joined() { procs_.clear(); }

  bool limits_memory() const { return !memory_.empty(); }
  bool limits_processes() const { return !pids_.empty(); }
  /// The memory limit was reached and something was killed for it.
  bool out_of_memory() const { return memory_question()(); }
  /// The same as a question that any thread may ask, also when this is gone.
  std::function<bool()> memory_question() const;
  /// How often a process or thread was refused.
  uint64_t processes_refused() const;
  /// Ends every process in it.
  void kill();

private:
  friend class cgroups;
  std::shared_ptr<cgroups> owner_;
  /// Those that are there, each once.
  std::vector<std::string> folders() const;

  std::string memory_, pids_, cpu_; ///< empty: not limited here; in v2 all are the same
  std::vector<process::descriptor> procs_;
};

/// One per process: where cgroups may be made, and those that could not be removed yet.
class cgroups : public std::enable_shared_from_this<cgroups> {
public:
  /// Looks for a place, once.
  cgroups(const asio::any_io_executor& executor, std::shared_ptr<cgroup_files> files, const cgroup_membership& we,
          pid_t own_pid);
  cgroups(const cgroups&) = delete;
  cgroups& operator=(const cgroups&) = delete;
  ~cgroups();

  /// Null: there is no place, or none any more; `place` says why. Other limits have to do. Or something lacks at this
  /// moment, see lack().
  std::unique_ptr<guest_cgroup> make();
  /// What lacked for the last one that was made or limited, and what to do about it: a guest that could have a cgroup
  /// is not started without. Empty: nothing.
  const std::string& lack() const { return lack_; }
  const cgroup_place& place() const { return place_; }

private:
  friend class guest_cgroup;

  std::string make_in(cgroup_controller& controller, const std::string& name);
  void fail(cgroup_controller& controller, std::string what, int error);
  int limit_memory(const std::string& folder, uint64_t bytes);
  process::descriptor open_procs(cgroup_controller& controller, const std::string& folder);
  void retire(std::string folder);
  void remove_later();
  void remove_retired();

  std::shared_ptr<cgroup_files> files_; ///< without a state of its own: any thread may use it
  pid_t own_pid_;
  cgroup_place place_;
  std::string lack_;
  uint64_t last_number_ = 0;
  std::vector<std::string> retired_; ///< still in use when they were to be removed
  asio::steady_timer timer_;
  unsigned tries_ = 0;
};

/// The place of this very process.
std::shared_ptr<cgroups> find_cgroups(const asio::any_io_executor& executor);

} // namespace sandbox
