// What servers ask in the middle of the calls of a run, and what its program or we ask a person: its client is asked,
// and the run's time stands still meanwhile.
#pragma once

#include "actors/run/notes.hpp"
#include "messages/document.hpp"
#include "messages/errors.hpp"
#include "messages/server_questions.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>

namespace actors::run {

/// Of one run: open at once, and in all. Who asks more wears a person out.
inline constexpr size_t questions_open_max = 16;
inline constexpr uint32_t questions_max = 100;

/// What they need of others. What is called `then` is called once, later or at once, and never after this is gone.
struct question_routes {
  using answer_to = std::function<void(msg::outcome<msg::document>)>;
  /// The client is asked under that number, and `then` hears what it says, or why it does not.
  std::function<void(uint64_t number, msg::server_question, answer_to then)> ask;
  /// Nobody waits for the answer of that number.
  std::function<void(uint64_t number)> withdraw;
  /// The login of that number is over, and whether there is one: `then` of ask() hears of it.
  std::function<void(uint64_t number, bool is_there)> finish;
  /// The first question has been asked, the last one is answered.
  std::function<void()> stop_clock, start_clock;
  /// One has been answered, or not.
  std::function<void(const msg::server_question&, const msg::outcome<msg::document>&)> record;
};

class server_questions {
public:
  using answer_to = question_routes::answer_to;

  /// The notes outlive it.
  server_questions(notes& told, question_routes routes) : notes_(told), routes_(std::move(routes)) {}

  /// `done` hears of it once.
  void take(msg::server_question question, answer_to done);
  /// Its server does not wait for the answer to that question of that call; `done` hears that it is cancelled.
  void withdraw(msg::call_key call, uint64_t question);
  /// The logins at that server are over, and whether there is one; who asked hears of it later.
  void login_over(const std::string& server, bool is_there);
  /// As withdraw(), for all that are surely of that call, and for all.
  void call_ended(uint64_t call);
  void end_all();
  size_t open_count() const { return open_.size(); }

private:
  struct open_question {
    msg::server_question asked; ///< without its parameters
    answer_to done;
  };
  using open_questions = std::map<uint64_t, open_question>;

  void answered(uint64_t number, msg::outcome<msg::document> said);
  void settle(open_questions::node_type question, msg::outcome<msg::document> said);
  template <class Which>
  void drop(Which which);

  notes& notes_;
  question_routes routes_;
  open_questions open_;
  uint64_t last_number_ = 0; ///< and how many there have been
};

} // namespace actors::run
