// What goes into a prompt: how much it is, and without what the content policy keeps from models.
#pragma once

#include "content_filter/filter.hpp"
#include "messages/errors.hpp"
#include "messages/sampling.hpp"

#include <cstddef>
#include <vector>

namespace sampling {

/// Texts of all open questions of one run: each is held up to three times, as question, as request, and as what is
/// sent.
inline constexpr size_t prompts_held_max = 32u << 20;
/// 3 ms of work at the 18 MB/s that numbers take, the slowest there is. More is for another thread.
inline constexpr size_t filtered_at_once_max = 64u << 10;

/// Messages that another thread looks through.
struct prompt_elsewhere {
  std::vector<msg::chat_message> messages;
  msg::fault problem; ///< why they may not be sent
};

size_t prompt_bytes(const msg::model_request& request);

/// Takes out of the messages what is to be redacted. The fault says why they may not be sent at all.
msg::fault filter_prompt(std::vector<msg::chat_message>& messages, const content_filter::content_policy& policy);

} // namespace sampling
