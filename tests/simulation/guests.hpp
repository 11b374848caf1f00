// Guest processes of a simulation: their programs do anything that a program can, and what runs them dies at any
// moment.
#pragma once

#include "actors/sandbox.hpp"
#include "tests/simulation/world.hpp"

#include <boost/json.hpp>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace simulation {

class guests;

/// One program, as its code says: "// run 7 9f3a".
struct program {
  std::string mark; ///< of the run; empty: there is none now
  chance luck{0};
  uint64_t left = 0; ///< things that it still does
  uint64_t at_once = 1;
  uint64_t good = 0, bad = 0;
  uint64_t announces = 0; ///< calls that need a person's agreement, first of all
  bool is_announcing = false;
  bool writes = false;   ///< it makes such calls and no others, more of them than it has announced
  bool is_plain = false; ///< one call of the server that is well, and nothing else
  bool is_over = true;
};

class simulated_guest final : public sandbox::guest, public std::enable_shared_from_this<simulated_guest> {
public:
  simulated_guest(guests& all, msg::guest_request wish, msg::sandbox_actor owner);

  void hold_at_most(uint64_t bytes_max, uint64_t elsewhere) override;
  bool send(msg::spliced_text frame) override;
  msg::guest_output collect() override;
  msg::guest_output finish() override;

  void begin();
  /// The process dies.
  void die(int code);
  /// Nobody has heard of its end.
  bool is_there() const { return static_cast<bool>(owner_); }
  /// It was not killed, and did not die.
  bool lives() const { return is_there() && !is_ending_; }
  /// Calls that a server had that has died are answered.
  void check_calls_of_dead();
  bool has_program() const { return lives() && !program_.mark.empty(); }
  void hang() { hangs_ = true; }
  bool is_of_session() const { return !wish_.session.empty(); }
  /// What looks after it, not the process, ends by a mistake of ours.
  void kill_actor();

private:
  struct question {
    std::string method;
    std::string server; ///< of a call
    uint64_t number = 0;
    uint64_t bytes = 0;   ///< of a large value in it
    bool is_told = false; ///< the answer is on its way to it
  };

  void hear(const boost::json::object& frame);
  void run(const boost::json::object& frame);
  void check_owner(const boost::json::object& frame);
  void take_reply(const boost::json::object& frame);
  void check_held_bytes();
  void check_reply(const question& asked, const boost::json::object& frame);
  void check_whose(const std::string& text);
  void check_fault_of_well(const boost::json::object& error);
  void go_on();
  void ask_something();
  boost::json::object something(question& asked);
  boost::json::object call(question& asked);
  boost::json::object plain_call(question& asked);
  boost::json::object announcement(question& asked);
  boost::json::object confirmed_call(question& asked);
  void end_program();
  void say(boost::json::object frame);
  void later(std::function<void()> act);

  guests& all_;
  world& world_;
  msg::guest_request wish_;
  msg::sandbox_actor owner_; ///< null: it has heard of the end
  line line_;                ///< of what it says
  line hears_;               ///< of what it is told
  program program_;
  std::map<int64_t, question> open_;
  int64_t last_id_ = 0;
  uint64_t programs_ = 0; ///< that it has had
  bool is_ending_ = false, hangs_ = false;
  uint64_t elsewhere_ = 0;
};

/// The machine on which they run.
class guests {
public:
  explicit guests(world& w) : in(w) {}

  actors::guest_factory factory();
  size_t alive() const;
  std::shared_ptr<simulated_guest> any();

  world& in;
  std::vector<std::shared_ptr<simulated_guest>> all; ///< of whose end nobody has heard yet
  bool start_fails = false;
};

} // namespace simulation
