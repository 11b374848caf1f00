// What is checked before a program runs: dangerous patterns, and its types if that was asked for. Nothing is started
// before.
#pragma once

#include "actors/run/ending.hpp"
#include "actors/run/notes.hpp"
#include "code_policy/violations.hpp"
#include "config/settings.hpp"
#include "messages/document.hpp"
#include "messages/errors.hpp"
#include "messages/run.hpp"
#include "messages/tool_call.hpp"

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace actors::run {

/// What is called `then` is called once, later or at once, and never after the check is gone.
struct check_routes {
  /// All that the run may use and is known; no server is started for it: what is not known yet has any type.
  std::function<void(std::function<void(msg::tool_list)> then)> known_tools;
  /// `then` hears a list of `{line, column, message}`. What it returns ends the check early. Empty: it can not be done
  /// here.
  std::function<std::function<void()>(msg::type_check_request, std::function<void(msg::outcome<msg::document>)> then)>
    check_types;
  /// Makes it on another thread: the answer, or why it could not be made.
  std::function<void(std::function<msg::outcome<msg::document>()> make,
                     std::function<void(msg::outcome<msg::document>)> then)>
    elsewhere;
};

class program_check {
public:
  /// `told` outlives this: it gets the warnings.
  program_check(config::pattern_policy policy, notes& told, check_routes others)
    : policy_(policy),
      notes_(told),
      others_(std::move(others)) {}

  /// Once. `request` outlives this. `done` is called once, unless stop() comes first: with how the run ends, or with
  /// nothing if the program may run.
  void begin(const msg::run_request& request, std::function<void(std::optional<ending>)> done);
  void stop();

private:
  void judge_patterns(const msg::fault& problem, const std::vector<code_policy::violation>& found);
  void check_types();
  void end(std::optional<ending> how);

  config::pattern_policy policy_;
  notes& notes_;
  check_routes others_;
  const msg::run_request* request_ = nullptr;
  std::function<void(std::optional<ending>)> done_;
  std::function<void()> stop_types_; ///< empty: they are not being checked
  bool is_over_ = false;
};

} // namespace actors::run
