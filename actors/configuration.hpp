// Follows the files that list servers, and has what they say brought into force.
#pragma once

#include "actors/background.hpp"
#include "config/server_list.hpp"
#include "messages/actors.hpp"
#include "process/file_watch.hpp"

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace actors {

/// Tells when files change. What is called `then` is called later, on the main thread.
struct file_watching {
  /// Of these files and folders, on another thread. What is returned is for the main thread, and has them be what is
  /// watched from now on; false: not all of them can be watched.
  std::function<std::function<bool()>(const std::vector<std::string>& paths)> prepare;
  /// Once something may have changed since what is watched was prepared; false: it is never known. One at a time.
  std::function<void(std::function<void(bool)> then)> next_change;
  /// Whatever waits for a change hears false.
  std::function<void()> stop;
};

/// Files and folders whose change may change the servers, when they were looked at.
struct seen_places {
  std::vector<std::string> paths;
  std::vector<process::file_stamp> stamps; ///< of each
  bool operator==(const seen_places&) const = default;
};

struct configuration_options {
  std::function<std::vector<std::string>()> places; ///< those that are to be looked at now; on another thread
  std::string settings_file;                        ///< only told of; empty: there is none
  std::function<file_watching()> watch;
  std::function<process::file_stamp(const std::string& path)> stamp; ///< on any thread
  seen_places seen_at_start;                                         ///< before they were read for `in_force`
  background_work offload;
  /// Reads everything; what is broken stays as it was in that list. On another thread; may take as long as a hundred
  /// files do.
  std::function<config::server_list(const config::server_list&)> read;
  std::function<const config::server_list&()> in_force;
  /// What servers that will be in force need of this process: before they are told of. Those that are to be told, which
  /// may be fewer. Only if they are others than before.
  std::function<msg::server_entries(const config::server_list&)> prepare;
  /// After that.
  std::function<void(config::server_list)> set_in_force;
  /// Before the first look: it would hold up the client's first answers.
  std::chrono::milliseconds first_delay{};
};

class configuration_state {
public:
  static inline const char* name = "configuration";

  explicit configuration_state(msg::configuration_actor::pointer self) : self_(self) {}
  configuration_state(const configuration_state&) = delete;
  configuration_state& operator=(const configuration_state&) = delete;
  ~configuration_state();
  msg::configuration_actor::behavior_type make_behavior(configuration_options options,
                                                        msg::supervisor_actor supervisor);

private:
  struct observation;
  struct another_look;

  bool is_busy() const { return observed_ || look_; }
  void look();
  void look_at_settings();
  void observe(std::shared_ptr<const seen_places> unless);
  void take_observed(const msg::fault& problem);
  void read_again();
  void take(const msg::fault& problem);
  void take_read(const msg::fault& problem);
  void tell_supervisor();
  void bring_into_force();
  void go_on();
  void compare();
  void heard(bool has_changed);

  msg::configuration_actor::pointer self_;
  configuration_options options_;
  msg::supervisor_actor supervisor_;
  file_watching files_;
  std::shared_ptr<const seen_places> seen_; ///< before they were read last
  process::file_stamp settings_stamp_;
  std::shared_ptr<observation> observed_; ///< null: nothing is being looked at
  std::shared_ptr<another_look> look_;    ///< until it is in force; null: nothing is being read
  bool is_watched_ = true;
  bool is_waiting_ = false;  ///< for a change that the watch tells
  bool has_changed_ = false; ///< since they were read last
};

/// `supervisor` is told of other servers, as reload_atom.
msg::configuration_actor::behavior_type
configuration(msg::configuration_actor::stateful_pointer<configuration_state> self, configuration_options options,
              msg::supervisor_actor supervisor);

} // namespace actors
