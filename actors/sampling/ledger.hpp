// What a run has used of models: held against its budget, and told in its report.
#pragma once

#include "actors/sampling/completion_request.hpp"
#include "actors/sampling/round_answer.hpp"
#include "messages/sampling.hpp"
#include "sampling/budget.hpp"

#include <chrono>
#include <string>

namespace sampling {

class ledger {
public:
  /// `wish`: of the run, as far as it says what its report tells.
  ledger(budget_limits limits, const msg::sampling_options& wish) : budget_(limits), is_verbose_(wish.verbose) {}

  /// A round for `q`, which may be asked if it is `taken`.
  budget::claim take(completion_request& q);
  /// The round has ended. Valid until the next one does.
  const msg::sampling_call& settle(const completion_request& q, const round_answer& answer,
                                   std::chrono::microseconds duration);

  /// `route`: who was asked last.
  msg::sampling_report report(const std::string& route) const;

private:
  budget budget_;
  bool is_verbose_; ///< prompts and answers are told
  msg::sampling_report used_;
};

/// For those who may see them: the last message that was sent, and the answer or what was given of it.
const std::string& last_prompt(const completion_request& q);
const std::string& given_answer(const completion_request& q, const round_answer& answer);

} // namespace sampling
