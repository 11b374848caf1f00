// What the program of one run asks of models: checked, filtered, counted, sent on its route, answered once.
#pragma once

#include "actors/background.hpp"
#include "actors/sampling/answer_room.hpp"
#include "actors/sampling/completion_request.hpp"
#include "actors/sampling/completion_rules.hpp"
#include "actors/sampling/ledger.hpp"
#include "actors/sampling/open_completions.hpp"
#include "actors/sampling/record.hpp"
#include "actors/sampling/round_answer.hpp"
#include "actors/sampling/route_choice.hpp"
#include "actors/sampling/rules.hpp"
#include "messages/actors.hpp"

#include <caf/actor_clock.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace actors {

/// As executions call them.
using sampling_rules = sampling::rules;

struct sampling_session_options {
  sampling_rules rules;
  msg::execution_actor execution;                              ///< makes the calls of tools that a model wants
  msg::run_listener client;                                    ///< null: it has no model
  msg::audit_log_actor audit;                                  ///< null: nothing is recorded
  std::function<caf::actor_clock::time_point()> run_ends = {}; ///< as it is known at the time; empty: never
  background_work offload{};                                   ///< looking through what is large
};

class sampling_session_state {
public:
  static inline const char* name = "sampling_session";

  explicit sampling_session_state(msg::sampling_session_actor::pointer self) : self_(self) {}
  msg::sampling_session_actor::behavior_type make_behavior(sampling_session_options options,
                                                           const msg::run_request& run);

private:
  using completion_request = sampling::completion_request;
  using document_outcome = msg::outcome<msg::document>;
  using answer_outcome = msg::outcome<msg::model_answer>;

  // ---- what a program asks
  caf::result<document_outcome> ask(msg::sample_request& asked);
  caf::result<document_outcome> next(uint64_t number);
  void leave(uint64_t number);
  msg::sampling_report finish();

  // ---- the way of a question to a model
  void filter_prompt(uint64_t number);
  void prompt_filtered(uint64_t number, msg::fault why);
  void offer_tools(uint64_t number);
  void take_round(uint64_t number);
  void send(uint64_t number, completion_request& q);

  // ---- and back
  void received(uint64_t number, const std::string& text);
  void answered(uint64_t number, answer_outcome& answer);
  void looked_through(uint64_t number, const msg::fault& why);
  void call_tools(uint64_t number, msg::model_answer answer);
  void tool_answered(uint64_t number, size_t place, const document_outcome& result);
  void deliver(uint64_t number, const msg::model_answer& answer);
  void give_piece(uint64_t number);
  void fail(uint64_t number, msg::fault why);
  void take_waiting();

  // ---- the client's model
  void client_was_silent(uint64_t number, msg::fault why);

  // ---- the end of a round, and of all
  void give_up(completion_request& q, const msg::fault& why);
  void settle(const completion_request& q, const answer_outcome& answer);
  void refuse(const completion_request& q, const msg::fault& why);
  void end_all(const msg::fault& why);

  msg::sampling_session_actor::pointer self_;
  sampling_session_options options_;
  uint64_t run_ = 0;
  std::shared_ptr<sampling::answer_room> room_;
  std::optional<sampling::completion_rules> completion_rules_;
  std::optional<sampling::route_choice> routes_;
  std::optional<sampling::open_completions> open_;
  std::optional<sampling::ledger> ledger_;
  std::optional<sampling::record> record_;
};

/// `run` is what the client asked for.
msg::sampling_session_actor::behavior_type
sampling_session(msg::sampling_session_actor::stateful_pointer<sampling_session_state> self,
                 sampling_session_options options, msg::run_request run);

} // namespace actors
