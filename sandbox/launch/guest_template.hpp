// A process in a box of its own that makes guests. It never runs a program: nothing that a program does reaches it, and
// so nothing reaches the next guest. That of Python has the interpreter and our modules loaded and forks guests, in 2
// to 3 ms instead of the 15 to 20 that an interpreter takes to start. That of TypeScript, whose interpreter has threads
// and so can not be forked, makes the box of a guest, in 1 ms instead of the 5 of bubblewrap, and starts Deno in it.
//
// Each guest gets what a box of bubblewrap gives (sandbox/isolation/forked_box.hpp): namespaces, temp folders, cgroup,
// limits, Landlock, filter. docs/security.md says what guests of one template have in common.
#pragma once

#include "sandbox/launch/guest.hpp"

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace sandbox {

struct template_process;

/// One that could not be made, or died, is made anew after so long. Meanwhile, guests start without one.
inline constexpr std::chrono::seconds template_retry{60};

class guest_template : public std::enable_shared_from_this<guest_template> {
public:
  /// `preloaded`: modules of Python that are loaded besides ours; what can not be loaded is a reason for `problem`.
  explicit guest_template(msg::language lang, std::vector<std::string> preloaded = {})
    : lang_(lang),
      preloaded_(std::move(preloaded)) {}

  /// Starts the process in the background, if there is none and the last one did not fail a short time ago. `what`: the
  /// box of its guests, without grants. May be called for each guest.
  void want(const guest_environment& environment, const box& what, const isolation_tools& tools);
  /// Guests can be forked.
  bool is_ready() const { return state_ == state::ready; }
  bool is_starting() const { return state_ == state::starting; }
  /// Why there is none; empty: it was not wanted yet, or is being made, or is there.
  const std::string& problem() const { return problem_; }
  /// For people: `ready`, `starting`, `not needed yet`, or `none: ` and why.
  std::string status() const;

  /// A guest as start_guest() starts it, in a box like that of want(). Only while it is ready.
  msg::outcome<std::shared_ptr<guest>> fork(const guest_environment& environment, uint32_t cpu_seconds,
                                            guest_events events);

private:
  enum class state : uint8_t { absent, starting, ready };

  const std::string& program_of(const isolation_tools& tools) const;
  msg::outcome<prepared_box> prepare_own(const box& what, const isolation_tools& tools) const;
  void start(const guest_environment& environment, const box& what, const isolation_tools& tools);
  msg::fault launch(const guest_environment& environment, const box& what, const isolation_tools& tools);
  static asio::awaitable<void> listen(std::weak_ptr<guest_template> to, std::weak_ptr<template_process> process,
                                      guest_environment environment, uint64_t number);
  void give_up(uint64_t number, const std::string& why);

  msg::language lang_;
  std::vector<std::string> preloaded_;
  state state_ = state::absent;
  uint64_t number_ = 0; ///< of the process: what waits for an earlier one hears nothing of this
  std::string problem_;
  std::shared_ptr<std::string> complaint_; ///< the beginning of what it has printed on stderr
  std::chrono::steady_clock::time_point no_start_before_{};
  std::shared_ptr<template_process> process_; ///< null: absent
};

} // namespace sandbox
