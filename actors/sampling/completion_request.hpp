// One llm.ask or llm.think of a program: several rounds, if its model wants tools.
#pragma once

#include "actors/sampling/prompts.hpp"
#include "actors/sampling/rules.hpp"
#include "actors/sampling/streamed_answer.hpp"
#include "actors/sampling/tool_steps.hpp"
#include "messages/document.hpp"
#include "messages/errors.hpp"
#include "messages/sampling.hpp"
#include "sampling/budget.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace sampling {

struct completion_request {
  msg::model_request request;
  route_ptr route;   ///< whose model is in the request
  std::string named; ///< the model that the program wants; empty: none in particular
  std::string tried; ///< who did not answer before `route`, in words; empty: no model was asked before
  budget::wish how = budget::wish::at_most;
  size_t prompt_bytes = 0;
  std::shared_ptr<prompt_elsewhere> elsewhere; ///< its messages, while another thread has them
  std::vector<std::string> patterns;           ///< of tools that are still to be offered
  tool_steps tools;
  streamed_answer stream; ///< of one that is streamed

  // ---- of the round
  uint32_t reserved = 0;               ///< tokens
  std::shared_ptr<answer_place> place; ///< of its answer, until it is settled
  std::chrono::steady_clock::time_point begun;
  std::function<void()> give_up; ///< empty: no model is being asked, and what it answered is counted
  msg::token_usage usage;        ///< as far as the model has told it
  uint32_t times_asked = 1;      ///< what was tried again counts each time that it was read
  std::shared_ptr<msg::outcome<msg::model_answer>> answer; ///< while another thread looks through it

  /// Of the program that waits for the answer, or for the next piece of it; empty: it does not.
  std::function<void(msg::outcome<msg::document>)> reply;
};
using completion_ptr = std::shared_ptr<completion_request>;

/// Answers the program if it waits, once.
void reply_to(completion_request& q, msg::outcome<msg::document> with);

/// `why` it failed, with who was asked before.
msg::fault with_who_was_tried(const completion_request& q, msg::fault why);

} // namespace sampling
