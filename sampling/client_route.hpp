// The client's own model: sampling/createMessage of MCP.
#pragma once

#include "messages/document.hpp"
#include "messages/errors.hpp"
#include "messages/sampling.hpp"

namespace sampling {

/// The `params` of the request. No model: the client chooses.
msg::document client_question(const msg::model_request& request);

/// Of its result. The client reports no tokens: `usage` stays empty, as an estimate to be made. The fault
/// (model_failed) says what came instead of a text or a wish for tools; beside it is how many tokens that may have
/// been, by its length: it may be too long to be looked through.
msg::outcome<msg::model_answer> client_answer(const msg::document& result);

/// Of its error: a person may have refused. Or of errc::protocol_violation: it has answered with what is no response.
msg::fault client_refusal(msg::fault said);

} // namespace sampling
