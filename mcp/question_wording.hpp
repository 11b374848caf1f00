// What a server asks in the middle of a call, as the client is asked it, in the words of the client's own revision.
#pragma once

#include "mcp/envelope.hpp"
#include "messages/document.hpp"
#include "messages/errors.hpp"
#include "messages/server_questions.hpp"

#include <string>

namespace mcp {

/// In `_meta` of what a model is asked for a server: who asks, for the person who decides. The rest of it is the
/// server's word for the model, and stays as it is; `metadata` goes on to the provider.
inline constexpr std::string_view asker_key = "code-executor/askedBy";

/// Why that client can not be asked; empty: it can.
std::string problem_of_asking(const msg::server_question& asked, const requester& client);
/// The `params`. A person reads first who asks: a server can not pass for another one, or for us.
msg::document worded_for(const msg::server_question& asked, const requester& client);
/// What the client has answered, if it is an answer to that; else why it is none.
msg::outcome<msg::document> checked_answer(msg::question_kind kind, const msg::document& said);

} // namespace mcp
