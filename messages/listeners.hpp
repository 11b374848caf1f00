// Those who hear how something goes on that others do for them, whoever they are: parts of what the actors of
// messages/actors.hpp understand.
#pragma once

#include "messages/atoms.hpp"
#include "messages/faults.hpp"
#include "messages/guest.hpp"
#include "messages/run.hpp"
#include "messages/sampling.hpp"
#include "messages/server_questions.hpp"
#include "messages/tool_call.hpp"

#include <caf/fwd.hpp>
#include <caf/replies_to.hpp>
#include <caf/typed_actor.hpp>

namespace msg {

/// Wants to hear how a call that it made goes on.
using progress_listener = caf::typed_actor<
  // A child reports progress of one of your calls.
  caf::reacts_to<progress_atom, tool_progress>,
  // A fault is injected into one of them.
  caf::reacts_to<injected_atom, injected_fault>,
  // A child asks something in the middle of one of your calls. Always answered.
  caf::replies_to<question_atom, server_question>::with<outcome<document>>,
  // It does not wait for the answer to that question of that call any more.
  caf::reacts_to<question_atom, call_key, uint64_t>,
  // A child has written into its log in the middle of one of your calls, what your client wants to hear.
  caf::reacts_to<log_atom, server_log>,
  // One of your calls is on its way to its server, and means that tool: if you wanted to know, or if the tool is not
  // what was approved.
  caf::reacts_to<meant_atom, call_key, tool_info>>;

/// Hears from a guest process.
using guest_listener = caf::typed_actor<
  // A frame of the guest. Answered so that the reader waits.
  caf::replies_to<frame_atom, document>::with<bool>,
  // The guest process ended, or could not be started.
  caf::reacts_to<exit_atom, guest_exit>>;

/// Hears how a run goes on, and may have a model.
using run_listener = caf::typed_actor<
  // How it goes on.
  caf::reacts_to<progress_atom, run_progress>,
  // What a server has written into its log in the middle of a call of the run.
  caf::reacts_to<log_atom, server_log>,
  // Asks the client's model. The key is that of the run, with a number that is not asked again.
  caf::replies_to<sample_atom, call_key, model_request>::with<outcome<model_answer>>,
  // No run waits for that answer any more.
  caf::reacts_to<cancel_atom, call_key>,
  // Asks the client what a server wants to know in the middle of a call of the run. The key is that of the run, with a
  // number that is not asked again. Always answered.
  caf::replies_to<question_atom, call_key, server_question>::with<outcome<document>>,
  // No server waits for that answer any more.
  caf::reacts_to<question_atom, cancel_atom, call_key>,
  // The login that was asked for under that key is over, and whether there is one.
  caf::reacts_to<question_atom, finish_atom, call_key, bool>>;

} // namespace msg
