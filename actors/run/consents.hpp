// Which calls of a run its person has agreed to (security.confirm): one question at a time, for all calls that wait, or
// for those that the program announces.
#pragma once

#include "actors/run/consent_wording.hpp"
#include "messages/document.hpp"
#include "messages/errors.hpp"
#include "messages/server_questions.hpp"
#include "messages/tool_call.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace actors::run {

/// From the first call that waits to the question: those that a program makes at once are asked for together.
inline constexpr std::chrono::milliseconds consent_gathering{50};
/// Tools of one question; calls of others wait for the next.
inline constexpr size_t consent_tools_max = 5;

/// Questions of one run that a person has declined, or left without an answer: then no other is asked, of whatever
/// tool.
inline constexpr uint32_t consent_refusals_max = 3;

/// What is called `then` is called once, later or at once, and never after the consents are gone.
struct consent_routes {
  using answer_to = std::function<void(msg::outcome<msg::document>)>;
  /// The person is asked; `then` hears `{action, ...}`, or why there is no answer.
  std::function<void(msg::server_question, answer_to then)> ask;
  std::function<void(std::chrono::milliseconds, std::function<void()> then)> later;
};

/// A call that needs consent. As many wait as requests may be open.
struct wanted_consent {
  uint64_t call = 0;
  msg::consent to;
  msg::document arguments;
};

class consents {
public:
  /// errc::none: the call may be made; else not_approved.
  using verdict = std::function<void(msg::fault)>;
  /// true, or false if the person has declined; not_approved: nobody could be asked.
  using announced = std::function<void(msg::outcome<bool>)>;

  /// `patterns`: security.confirm; empty: no call needs any.
  consents(std::vector<std::string> patterns, consent_routes routes)
    : patterns_(std::move(patterns)),
      routes_(std::move(routes)) {}

  bool are_needed() const { return !patterns_.empty(); }
  /// A person who has said no is not asked again in the run, and one agreement is good for one call.
  void want(wanted_consent call, verdict then);
  /// So many calls of each tool. Of those that need no consent there are none. They add to what was agreed to before.
  void announce(std::vector<asked_calls> calls, announced then);
  /// All calls of the run. Who says no to that may agree to some of them all the same.
  void announce_all(announced then);
  /// That call has ended, and waits no longer.
  void forget(uint64_t call) {
    std::erase_if(waiting_, [call](auto& w) { return w.wanted.call == call; });
  }
  /// The run has ended: nobody is asked any more, and nobody hears anything.
  void stop();

private:
  using key = std::pair<std::string, std::string>; ///< server and tool
  struct standing {
    uint32_t left = 0;        ///< calls that may be made
    uint32_t agreed = 0;      ///< in all
    std::string refused = {}; ///< why there will be none; empty: they have not been refused
  };
  struct waiting_call {
    wanted_consent wanted;
    verdict then;
  };
  struct announcement {
    std::vector<asked_calls> calls; ///< empty: all
    announced then;
  };

  static key key_of(const msg::consent& to) { return {to.server, to.tool}; }
  template <class Which>
  std::vector<waiting_call> taken_out(Which which);
  void go_on();
  void settle_known();
  void gather();
  void ask_for_calls();
  void calls_answered(const std::vector<asked_calls>& asked, const std::vector<uint64_t>& calls,
                      const msg::outcome<msg::document>& said);
  void ask_for_announced();
  void announced_answered(const announcement& asked, const msg::outcome<msg::document>& said);
  std::string refusal_of(const msg::consent& to) const;
  bool take_one(const msg::consent& to);
  void refuse(const std::vector<asked_calls>& asked, const std::string& why);

  std::vector<std::string> patterns_;
  consent_routes routes_;
  std::map<key, standing> standings_;
  uint32_t refusals_ = 0; ///< questions
  bool is_all_agreed_ = false;
  std::string all_refused_; ///< why nobody agrees to all; empty: nobody has been asked
  std::deque<waiting_call> waiting_;
  std::deque<announcement> announced_;
  bool is_asking_ = false;
  bool is_gathering_ = false;
  bool is_over_ = false;
};

} // namespace actors::run
