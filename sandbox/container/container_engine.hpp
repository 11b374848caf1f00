// The container engine of this machine: found and tried out on first use, shared by all container guests of a server.
#pragma once

#include "process/child.hpp"
#include "process/command.hpp"
#include "sandbox/container/container.hpp"

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/steady_timer.hpp>

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace sandbox {

/// Where things are.
struct container_places {
  std::string search_path;  ///< PATH
  std::string guest_files;  ///< the folder with python/ and container/
  std::string state_folder; ///< ours, 0700: keeps other users away from the sockets of guests
  std::function<std::string(std::string_view name)> variable;
};

/// Two digits for each of at most 256 bytes, from the kernel.
std::string random_hex(size_t bytes);

class container_host : public std::enable_shared_from_this<container_host> {
public:
  container_host(asio::any_io_executor executor, container_settings settings, container_places places);
  ~container_host();
  container_host(const container_host&) = delete;
  container_host& operator=(const container_host&) = delete;

  /// The engine, tried out with the image that is configured; removes containers of dead servers on the way. Takes
  /// about a second the first time, then nothing. After a failure it is tried again, but not at once. The fault
  /// (runtime_missing) says what to do.
  asio::awaitable<msg::outcome<container_engine>> engine();
  /// What the latest look has found; mode "none" with the reason when there is no engine.
  const msg::isolation_report& report() const { return report_; }

  /// Runs a command of the engine to its end.
  asio::awaitable<msg::outcome<process::command_result>> run(const std::vector<std::string>& argv,
                                                             std::chrono::milliseconds timeout) const;
  /// Starts the removal of containers, which goes on when this process has ended.
  void remove_later(const container_engine& engine, const std::vector<std::string>& names) const;
  /// A container that may be there from now on: removed at the end of this if it is not forgotten before.
  void remember(const std::string& name) { alive_.insert(name); }
  /// It is gone, or its removal has been started.
  void forget(const std::string& name) { alive_.erase(name); }
  /// The command of one new container.
  process::launch launch_of(const container_engine& engine, container_run run) const;
  /// A name that no other container has.
  std::string new_name() const;
  /// A folder for the socket of one container, 0711. Throws std::system_error when there can be none.
  std::string new_folder(const std::string& container_name) const;

  const container_settings& settings() const { return settings_; }
  const asio::any_io_executor& executor() const { return executor_; }

private:
  asio::awaitable<msg::outcome<container_engine>> look();
  std::string executable_of(container_tool tool) const;
  asio::awaitable<msg::outcome<container_engine>> try_tool(container_tool tool, std::string executable);
  asio::awaitable<msg::fault> try_runtimes(container_engine& engine);
  asio::awaitable<msg::fault> try_out(container_engine& engine);
  asio::awaitable<msg::outcome<enforced_limits>> look_inside(container_engine engine);
  asio::awaitable<void> remove_leftovers(container_engine engine);
  msg::fault check_paths() const;
  msg::fault check_guest_files() const;
  void remove_folders_of_the_dead() const;

  asio::any_io_executor executor_;
  container_settings settings_;
  container_places places_;
  std::vector<std::string> environment_;
  std::string owner_;
  std::set<std::string> alive_; ///< containers of guests: as many as there are guests
  msg::outcome<container_engine> found_;
  msg::isolation_report report_{"none", "no program has run in a container yet", {}};
  bool looked_once_ = false;
  bool looking_ = false;
  asio::steady_timer looked_;                   ///< cancelled when a look has ended
  asio::steady_timer::time_point look_again_{}; ///< after a failure;
};

} // namespace sandbox
