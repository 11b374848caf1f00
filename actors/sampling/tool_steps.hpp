// Tools that a question offers to its model, and the steps in which the model has them called: it is asked again with
// what came of them.
#pragma once

#include "messages/document.hpp"
#include "messages/errors.hpp"
#include "messages/sampling.hpp"
#include "messages/tool_call.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

namespace sampling {

/// Tools of one question.
inline constexpr size_t offered_tools_max = 128;
/// Of one result that goes back to the model.
inline constexpr size_t tool_text_bytes_max = 100'000;

class tool_steps {
public:
  /// Adds the tools to the request, by names that every provider takes. errc::none, or why they are not offered. `run`:
  /// whose they are.
  msg::fault offer(const msg::tool_list& tools, uint64_t run, msg::model_request& request);
  /// The answer is not the end: tools are to be called first.
  bool are_wanted(const msg::model_answer& answer) const;
  /// errc::none: the answer is of use. Some models want tools that we have not offered, and say nothing.
  msg::fault check(const msg::model_answer& answer) const;

  /// Adds what the model wants to the request, with room for what will come of it: every one of its uses is to be
  /// answered below. `steps_max`: questions to the model, in all. errc::none, or why it is not asked again.
  msg::fault begin(msg::model_answer answer, uint32_t steps_max, msg::model_request& request);
  /// Null: none of that name was offered.
  const msg::tool_ref* find(const std::string& name) const;
  /// What came of the use at that place. True: nothing more is outstanding.
  bool answered(size_t place, const msg::outcome<msg::document>& result, msg::model_request& request);

private:
  std::map<std::string, msg::tool_ref> offered_; ///< by the name that was offered
  uint32_t steps_ = 0;
  size_t outstanding_ = 0; ///< calls of this step
};

} // namespace sampling
