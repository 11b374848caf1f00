// What is outside of the actors in a simulation: what can happen next, what has happened, and what should not have.
#pragma once

#include "messages/document.hpp"
#include "tests/simulation/chance.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace simulation {

/// Things of one line happen in the order in which they came. 0: in any order with all others.
using line = uint64_t;
/// What concerns the server that nothing is wrong with happens before time passes.
enum class haste : uint8_t { none, prompt };

/// A program that a client had run: what it may do, and what it did.
struct known_run {
  std::vector<std::string> allowed; ///< patterns; only if `everything` is false
  bool everything = true;
  uint64_t sent = 0;          ///< calls that have reached a server
  uint64_t begins = 0;        ///< guests that have got it
  uint64_t agreements = 0;    ///< of a person, to calls that need them
  uint64_t announced = 0;     ///< calls to which its program wants a person to agree beforehand; until it has an answer
  uint32_t client = 0;        ///< number of its connection
  uint64_t questions = 0;     ///< to models
  std::string owner, session; ///< whose guest it may have
  bool is_python = false;
  enum class end : uint8_t { untold, success, failure } told = end::untold; ///< to the client
};

class world {
public:
  explicit world(uint64_t seed) : luck(seed) {}

  chance luck; ///< of the step that is being done
  /// Ends that are told very late: when all is calm.
  std::vector<std::function<void()>> late;
  std::map<std::string, known_run> runs;                 ///< by the mark in their code
  std::set<std::pair<std::string, uint64_t>> dead_calls; ///< mark and number, of servers whose end was told
  /// Marks in the words of how processes ended that had a successor by then: nobody should read these.
  std::set<std::string> old_ends;
  std::string now_doing;      ///< for what is told of a mistake
  bool is_calm = false;       ///< from now on all others do what they should
  bool was_disturbed = false; ///< an actor was killed: calls of any server may fail of it
  bool has_faults = false;    ///< they are injected between us and servers
  bool was_run_killed = false;
  std::chrono::milliseconds wall_offset{0}; ///< of the clock on the wall

  line new_line() { return ++last_line_; }
  void later(line where, std::function<void()> act, haste how = haste::none);
  /// When so much time has passed.
  void later_by(std::chrono::milliseconds wait, std::function<void()> act);
  /// What is due.
  void pass_to(std::chrono::steady_clock::time_point now);
  /// Something of what can happen. False: there is nothing.
  bool happen();
  bool happen_promptly();
  size_t waiting() const { return events_.size(); }

  /// Part of what two plays of one plan have in common.
  void tell(std::string_view what);
  uint64_t digest() const { return digest_; }
  void broken(std::string what);
  void expect(bool holds, std::string_view what) {
    if (!holds)
      broken(std::string{what});
  }
  const std::vector<std::string>& mistakes() const { return mistakes_; }
  bool prints = false; ///< what is told

private:
  struct event {
    line where;
    haste how;
    std::function<void()> act;
  };
  void carry_out(size_t which);

  std::vector<event> events_; ///< in the order in which they came
  std::multimap<std::chrono::steady_clock::time_point, std::function<void()>> timed_;
  std::chrono::steady_clock::time_point now_{};
  line last_line_ = 0;
  uint64_t digest_ = 0xcbf29ce484222325;
  std::vector<std::string> mistakes_;
};

/// To a model, by a program that has put its mark into it.
void count_question(world& in, std::string_view text);

} // namespace simulation
