// The verbs of all messages.
#pragma once

#include <caf/atom.hpp>

namespace msg {

using abilities_atom = caf::atom_constant<caf::atom("abilities")>;
using approve_atom = caf::atom_constant<caf::atom("approve")>;
using attach_atom = caf::atom_constant<caf::atom("attach")>;
using audit_atom = caf::atom_constant<caf::atom("audit")>;
using call_atom = caf::atom_constant<caf::atom("call")>;
using cancel_atom = caf::atom_constant<caf::atom("cancel")>;
using checked_atom = caf::atom_constant<caf::atom("checked")>;
using closed_atom = caf::atom_constant<caf::atom("closed")>;
using compare_atom = caf::atom_constant<caf::atom("compare")>;
using collect_atom = caf::atom_constant<caf::atom("collect")>;
using deadline_atom = caf::atom_constant<caf::atom("deadline")>;
using describe_atom = caf::atom_constant<caf::atom("describe")>;
using exit_atom = caf::atom_constant<caf::atom("exit")>;
using finish_atom = caf::atom_constant<caf::atom("finish")>;
using frame_atom = caf::atom_constant<caf::atom("frame")>;
using non_protocol_atom = caf::atom_constant<caf::atom("nonprotoc")>;
using go_on_atom = caf::atom_constant<caf::atom("goon")>;
using hold_atom = caf::atom_constant<caf::atom("hold")>;
using index_atom = caf::atom_constant<caf::atom("index")>;
using injected_atom = caf::atom_constant<caf::atom("injected")>;
using log_atom = caf::atom_constant<caf::atom("log")>;
using login_atom = caf::atom_constant<caf::atom("login")>;
using memory_atom = caf::atom_constant<caf::atom("memory")>;
using meant_atom = caf::atom_constant<caf::atom("meant")>;
using next_atom = caf::atom_constant<caf::atom("next")>;
using observe_atom = caf::atom_constant<caf::atom("observe")>;
using observed_atom = caf::atom_constant<caf::atom("observed")>;
using outputs_atom = caf::atom_constant<caf::atom("outputs")>;
using progress_atom = caf::atom_constant<caf::atom("progress")>;
using phase_atom = caf::atom_constant<caf::atom("phase")>;
using question_atom = caf::atom_constant<caf::atom("question")>;
using received_atom = caf::atom_constant<caf::atom("received")>;
using rejected_atom = caf::atom_constant<caf::atom("rejected")>;
using release_atom = caf::atom_constant<caf::atom("release")>;
using reply_atom = caf::atom_constant<caf::atom("reply")>;
using reload_atom = caf::atom_constant<caf::atom("reload")>;
using rest_atom = caf::atom_constant<caf::atom("rest")>;
using resolve_atom = caf::atom_constant<caf::atom("resolve")>;
using nearly_over_atom = caf::atom_constant<caf::atom("nearlyover")>;
using stop_if_idle_atom = caf::atom_constant<caf::atom("stopifidle")>;
using sample_atom = caf::atom_constant<caf::atom("sample")>;
using run_atom = caf::atom_constant<caf::atom("run")>;
using running_atom = caf::atom_constant<caf::atom("running")>;
using search_atom = caf::atom_constant<caf::atom("search")>;
using servers_atom = caf::atom_constant<caf::atom("servers")>;
using status_atom = caf::atom_constant<caf::atom("status")>;
using stop_atom = caf::atom_constant<caf::atom("stop")>;
using take_atom = caf::atom_constant<caf::atom("take")>;
using tick_atom = caf::atom_constant<caf::atom("tick")>;
using tools_atom = caf::atom_constant<caf::atom("tools")>;

} // namespace msg
