// How many tokens a text may have, where no provider counts them: for reservations before a call, and for what is not
// reported after it.
#pragma once

#include "messages/sampling.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sampling {

/// Rather too many than too few; saturates.
uint32_t estimated_tokens(std::string_view text);

/// Of that many bytes that are not looked at: rather too many as well, English text has four to five a token.
uint32_t estimated_tokens_of(size_t bytes);

/// The tools that an answer uses, with their arguments.
uint32_t estimated_uses(const msg::model_answer& answer);

/// Everything that a request sends: system prompt, messages, tools.
uint32_t estimated_input(const msg::model_request& request);

/// What the provider reported, as far as it can be: a report of no input, or of less than a quarter of what came is
/// estimated to have, is none, or a budget would not end. With an estimate in its place it is marked as one.
msg::token_usage believed(const msg::token_usage& told, uint32_t estimated_input, uint32_t estimated_output);

/// The same of a whole answer.
msg::token_usage usage_of(const msg::model_request& request, const msg::model_answer& answer);

} // namespace sampling
