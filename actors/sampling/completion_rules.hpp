// How a question of a program becomes one to a model: with which system prompt, to which model, for how long an answer.
#pragma once

#include "actors/sampling/completion_request.hpp"
#include "actors/sampling/rules.hpp"
#include "messages/errors.hpp"
#include "messages/sampling.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace sampling {

/// Of one run, which can only lower what is configured.
class completion_rules {
public:
  completion_rules(const rules& all, const msg::sampling_options& wish);

  /// `q` is for that route then, and has everything of `asked` but its tools. errc::none, or what is not permitted of
  /// it.
  msg::fault prepare(msg::sample_request& asked, const route_ptr& route, completion_request& q) const;
  /// The model of `q`, which is for another route now: the one that the program names, if it may; else the route's own;
  /// else the first that the run may ask.
  msg::fault choose_model(completion_request& q) const;

private:
  std::vector<std::string> system_prompts_; ///< that may be used
  std::string own_prompt_;                  ///< of questions that have none
  bool are_models_narrowed_;                ///< then to these
  std::vector<std::string> models_;
  uint32_t answer_tokens_; ///< of questions that do not say
};

} // namespace sampling
