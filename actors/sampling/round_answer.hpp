// What came of one round of a question: looked through before the program gets it, and what it cost.
#pragma once

#include "actors/sampling/completion_request.hpp"
#include "content_filter/filter.hpp"
#include "messages/document.hpp"
#include "messages/errors.hpp"
#include "messages/sampling.hpp"

namespace sampling {

using round_answer = msg::outcome<msg::model_answer>;

/// With an estimate of its tokens if no route told them, and with the name of its model. One that is of no use becomes
/// a fault: it was used all the same.
void complete(round_answer& answer, completion_request& q);
/// Without what the content policy keeps from programs. One that is blocked becomes a fault.
void filter_answer(round_answer& answer, const content_filter::content_policy& policy);

/// Of an answer that was looked through, or a fault. What was sent and what came was used, whatever became of it: left,
/// late, broken or filtered. The provider says how much, or it is estimated.
msg::token_usage used_by(const completion_request& q, const round_answer& answer);

/// As the guest gets it.
msg::document answer_doc(const msg::model_answer& answer);

} // namespace sampling
