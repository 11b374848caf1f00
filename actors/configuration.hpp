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
  /// From now on these. False: not all of them can be watched.
  std::function<bool(const std::vector<std::string>& paths)> set;
  /// Once something may have changed since the last `set`; false: it is never known. One at a time.
  std::function<void(std::function<void(bool)> then)> next_change;
  /// Whatever waits for a change hears false.
  std::function<void()> stop;
};

struct configuration_options {
  std::vector<std::string> places; ///< files and folders whose change may change the servers
  std::string settings_file;       ///< only told of; empty: there is none
  std::function<file_watching()> watch;
  std::function<process::file_stamp(const std::string& path)> stamp;
  std::vector<process::file_stamp> stamps_at_start; ///< of the places, when they were read for `in_force`
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
  struct another_look;

  void look();
  void look_at_settings();
  void read_again();
  void take(const msg::fault& problem);
  void tell_supervisor();
  void bring_into_force();
  void go_on();
  void compare();
  void heard(bool has_changed);
  std::vector<process::file_stamp> stamps() const;

  msg::configuration_actor::pointer self_;
  configuration_options options_;
  msg::supervisor_actor supervisor_;
  file_watching files_;
  std::vector<process::file_stamp> stamps_; ///< when they were read last
  process::file_stamp settings_stamp_;
  std::shared_ptr<another_look> look_; ///< until it is in force; null: nothing is being read
  bool is_watched_ = true;
  bool is_waiting_ = false;  ///< for a change that the watch tells
  bool has_changed_ = false; ///< since they were read last
};

/// `supervisor` is told of other servers, as reload_atom.
msg::configuration_actor::behavior_type
configuration(msg::configuration_actor::stateful_pointer<configuration_state> self, configuration_options options,
              msg::supervisor_actor supervisor);

} // namespace actors
