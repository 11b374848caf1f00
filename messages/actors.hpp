// Every actor of the program and what it understands: the architecture on one page. What listeners among them hear says
// messages/listeners.hpp.
// INTERNAL marks what an actor hears from its own coroutines and timers.
#pragma once

#include "messages/artifacts.hpp"
#include "messages/atoms.hpp"
#include "messages/audit.hpp"
#include "messages/catalog.hpp"
#include "messages/clients.hpp"
#include "messages/guest.hpp"
#include "messages/health.hpp"
#include "messages/listeners.hpp"
#include "messages/logins.hpp"
#include "messages/memory.hpp"
#include "messages/run.hpp"
#include "messages/sampling.hpp"
#include "messages/server_questions.hpp"
#include "messages/servers.hpp"
#include "messages/tool_call.hpp"

#include <caf/fwd.hpp>
#include <caf/replies_to.hpp>
#include <caf/typed_actor.hpp>

namespace msg {

template <>
inline caf::error unreadable_document<caf::error>() {
  return caf::sec::invalid_argument;
}

/// The record of what happened: bounded queue, one file a day. No actor waits for it.
using audit_log_actor = caf::typed_actor<
  // Something happened. Counted as lost when the queue is full.
  caf::reacts_to<audit_atom, audit_event>,
  // How is it?
  caf::replies_to<status_atom>::with<audit_status>,
  // Answered when everything that came before is on disk, or given up.
  caf::replies_to<finish_atom>::with<bool>,
  // INTERNAL: a batch of that many events is written; an empty text: all of them, else why not.
  caf::reacts_to<reply_atom, uint64_t, std::string>,
  // INTERNAL: time to write what has gathered.
  caf::reacts_to<tick_atom>>;

/// Token buckets: of clients, servers and tools.
using rate_limiter_actor = caf::typed_actor<
  // One token from each of these buckets, or from none: errc::none, or rate_limited with retry_after_ms.
  caf::replies_to<take_atom, rate_claims>::with<fault>>;

/// One MCP server: its process, its connection, its requests in flight, its restarts.
using child_server_actor = caf::typed_actor<
  // Checks the arguments and calls the tool; starts the server if it is not running. Progress goes to the sender.
  caf::replies_to<call_atom, tool_call>::with<outcome<tool_result>>,
  // The caller has lost interest: tells the child, answers nothing.
  caf::reacts_to<cancel_atom, call_key>,
  // That run is over: nothing of it is sent any more, and the child hears of what was.
  caf::reacts_to<finish_atom, uint64_t>,
  // Its tools; starts the server if it is not running.
  caf::replies_to<tools_atom>::with<outcome<listed_tools>>,
  // How is it?
  caf::replies_to<status_atom>::with<server_status>,
  // Is it being started, what has it printed instead of an answer, and which calls of that run has it not been sent?
  caf::replies_to<phase_atom, uint64_t>::with<server_start>,
  // Another server needs its place. False: it is in use; else it is stopped, and comes back when it is needed.
  caf::replies_to<stop_if_idle_atom>::with<bool>,
  // Ends the connection in order; answered when the process is gone.
  caf::replies_to<stop_atom>::with<bool>,
  // INTERNAL: the large arguments of that call have been checked; errc::none: they are as they should be.
  caf::reacts_to<checked_atom, call_key, fault>,
  // What clients can be asked, as far as any has said: told to the server when it is started.
  caf::reacts_to<abilities_atom, client_abilities>,
  // It has refused that run: the client is asked to log in there. Answered when there is a login, or why there is none.
  caf::replies_to<login_atom, login_request>::with<outcome<bool>>,
  // INTERNAL: where the person has to go for the login of that number; how it has ended, errc::none: well.
  caf::reacts_to<login_atom, uint64_t, login_page>, caf::reacts_to<login_atom, uint64_t, fault>,
  // INTERNAL: a message of the child, by connection number, and the request on whose answer's stream it came or 0.
  // Answered so that the reader waits.
  caf::replies_to<received_atom, uint64_t, document, uint64_t>::with<bool>,
  // INTERNAL: a page of tools of that connection has been taken apart.
  caf::reacts_to<tools_atom, uint64_t>,
  // INTERNAL: a line that is no JSON-RPC.
  caf::replies_to<non_protocol_atom, uint64_t, std::string>::with<bool>,
  // INTERNAL: the connection is ending: nothing can be sent any more.
  caf::reacts_to<closed_atom, uint64_t>,
  // INTERNAL: the connection is gone, and why.
  caf::reacts_to<closed_atom, uint64_t, fault>,
  // INTERNAL: a timer of this connection; a fault is injected on it.
  caf::reacts_to<tick_atom, uint64_t, uint8_t>, caf::reacts_to<injected_atom, uint64_t, injected_fault>>;

/// The tools of all configured servers, connected or not; on disk, if there is a place. Requests are carried out one
/// after the other.
using catalog_actor = caf::typed_actor<
  // Other servers are configured now.
  caf::reacts_to<reload_atom, server_entries>,
  // A server has (re-)read its tools: which of them may be used? Never refused; if two lists of a server wait, the
  // later one counts for both. Of a server that is not configured like that any more, nothing is stored.
  caf::replies_to<tools_atom, server_entry, listed_tools>::with<outcome<reviewed_tools>>,
  // Finds tools.
  caf::replies_to<search_atom, tool_query>::with<outcome<catalog_found>>,
  // A tool by server and name, or alias. unknown_tool: it may be new, or the server was never connected. tool_changed:
  // it is held.
  caf::replies_to<resolve_atom, tool_ref, tool_filter>::with<outcome<tool_info>>,
  // Which servers are known, and their tools?
  caf::replies_to<servers_atom, uint64_t>::with<outcome<indexed_servers>>,
  // What did the results of a tool look like? A JSON Schema, or null.
  caf::replies_to<observed_atom, tool_ref>::with<outcome<document>>,
  // A result of a tool, to learn from. Dropped when the catalog is busy.
  caf::reacts_to<observe_atom, tool_ref, document>,
  // That run is over: what it has asked is not worked on any more.
  caf::reacts_to<finish_atom, uint64_t>,
  // Why could the last search not be carried out? Empty: it could.
  caf::replies_to<status_atom>::with<std::string>,
  // Answered when everything is on disk that will be.
  caf::replies_to<finish_atom>::with<bool>,
  // INTERNAL: the request of that number has been carried out.
  caf::reacts_to<reply_atom, uint64_t, catalog_answer>,
  // INTERNAL: time to write the changes.
  caf::reacts_to<tick_atom>>;

/// Knows which servers exist, starts them when they are needed, and holds the tool lists that they have told since.
using connector_actor = caf::typed_actor<
  // A run begins, and ends with its sender: until then it finds the servers as they are configured now. Its client can
  // be asked that.
  caf::reacts_to<attach_atom, uint64_t, client_abilities>,
  // Other servers are configured now. Those that have not changed go on; the others end when the last run ends that may
  // use them.
  caf::replies_to<reload_atom, server_entries>::with<server_changes>,
  // Which tool is meant, and what have its results looked like, if it declares nothing of them? Starts its server if
  // the filter lets the run use any tool of it.
  caf::replies_to<describe_atom, tool_ref, tool_filter>::with<outcome<tool_info>>,
  // What a program got from a tool of that server and name.
  caf::reacts_to<observe_atom, tool_ref, document>,
  // Finds out which tool is meant, whether it may be used now, and calls it. Progress goes to the sender.
  caf::replies_to<call_atom, tool_request>::with<outcome<tool_result>>,
  // A server has refused a call of the sender's run: its client is asked to log in there.
  caf::replies_to<login_atom, login_request>::with<outcome<bool>>,
  // The caller has lost interest.
  caf::reacts_to<cancel_atom, call_key>,
  // That run is over: its calls are dropped, or cancelled, wherever they are. Those that were not sent are answered
  // with run_ended_unsent.
  caf::reacts_to<finish_atom, uint64_t>,
  // How are the servers of these tools, of which a run waits for an answer? In the same order.
  caf::replies_to<phase_atom, std::vector<tool_ref>>::with<std::vector<server_start>>,
  // Finds tools; starts servers that the question names.
  caf::replies_to<search_atom, tool_query>::with<outcome<tool_matches>>,
  // All configured servers.
  caf::replies_to<servers_atom>::with<server_list>,
  // Those of which a run with that filter may use something, as it may know them: its tools, and counts of these alone.
  caf::replies_to<servers_atom, tool_filter>::with<server_list>,
  // A server has (re-)read its tools. Answered when they have been reviewed: the names of those that may not be called;
  // a fault: none of them may.
  caf::replies_to<tools_atom, std::string, listed_tools>::with<outcome<std::vector<std::string>>>,
  // INTERNAL: the names of the list in that review are in order, or why they are not.
  caf::reacts_to<checked_atom, uint64_t, fault>,
  // A server has been started, or it does not run.
  caf::reacts_to<running_atom, std::string, bool>,
  // Reads the tools of that server anew, and answers how many. One that had to be started for it is stopped again.
  caf::replies_to<index_atom, std::string>::with<outcome<uint32_t>>,
  // Stops every server; answered when the last process is gone.
  caf::replies_to<stop_atom>::with<bool>>;

/// One guest process: control channel, output pipes, limits.
using sandbox_actor = caf::typed_actor<
  // From now on frames and the end go to that listener, and die with it.
  caf::reacts_to<attach_atom, guest_listener>,
  // The program to run.
  caf::reacts_to<run_atom, guest_program>,
  // Answer to the guest's request of that id.
  caf::reacts_to<reply_atom, uint64_t, outcome<document>>,
  // So many bytes are held for the run elsewhere: they count together with those that wait for the guest, and with what
  // it has printed.
  caf::reacts_to<hold_atom, uint64_t>,
  // The program is done and the guest stays, without a listener; answers with all it has printed.
  caf::replies_to<collect_atom>::with<guest_output>,
  // Kills the guest; answers with all it has printed.
  caf::replies_to<finish_atom>::with<guest_output>,
  // Has the program begun?
  caf::replies_to<phase_atom>::with<bool>,
  // INTERNAL: a frame of the guest, on its way to the listener.
  caf::replies_to<frame_atom, document>::with<bool>,
  // INTERNAL: the guest has connected to a host, or was refused: goes to the record with the run's number.
  caf::reacts_to<audit_atom, audit_event>,
  // INTERNAL: the process is reaped, or could not be started.
  caf::reacts_to<exit_atom, guest_exit>>;

/// A guest that waits for a run, or a session's.
struct guest_lease {
  sandbox_actor sandbox;
  session_note session;
  auto fields() { return std::tie(sandbox, session); }
};

/// Guests of one runtime, started ahead of need. Each serves one run, or one session.
using sandbox_pool_actor = caf::typed_actor<
  // A guest, warm if there is one and the wish is an ordinary one; never waits.
  caf::replies_to<take_atom, guest_request>::with<outcome<guest_lease>>,
  // How full is it?
  caf::replies_to<status_atom>::with<pool_status>,
  // INTERNAL: a waiting guest of that number has come so far.
  caf::reacts_to<phase_atom, uint64_t, guest_phase>,
  // INTERNAL: time to look at the number of waiting guests.
  caf::reacts_to<tick_atom>>;

/// Named sessions: each owns a guest that keeps its state from run to run; runs of one session queue.
using sessions_actor = caf::typed_actor<
  // The guest of a session as soon as it is free.
  caf::replies_to<take_atom, guest_request>::with<outcome<guest_lease>>,
  // The run is over. An empty reason: the guest is as good as before; else it is gone.
  caf::reacts_to<release_atom, session_key, std::string>,
  // The run has ended before it began: it has told no client what the lease says of the session.
  caf::reacts_to<cancel_atom, session_key>,
  // That client will not come back: its sessions end when their runs have.
  caf::reacts_to<closed_atom, std::string>,
  // Which are there?
  caf::replies_to<status_atom>::with<session_list>,
  // INTERNAL: a run has waited long enough for its session.
  caf::reacts_to<deadline_atom, uint64_t>,
  // INTERNAL: a session of that number has been idle since a release of that number.
  caf::reacts_to<tick_atom, uint64_t, uint64_t>>;

/// Values and saved tools that outlive the runs; one for all guests.
using memory_actor = caf::typed_actor<
  // Saves, loads, lists or deletes; the requests are carried out one after the other.
  caf::replies_to<memory_atom, memory_request>::with<outcome<document>>,
  // INTERNAL: the request of that number has been carried out.
  caf::reacts_to<reply_atom, uint64_t, outcome<document>>>;

/// Values and texts that were too large for the model, in files; one for all runs.
using artifacts_actor = caf::typed_actor<
  // Keeps, reads or lists; runs take turns.
  caf::replies_to<outputs_atom, artifact_request>::with<outcome<artifact_answer>>,
  // That run is over: what it still wants to read is not read.
  caf::reacts_to<cancel_atom, uint64_t>,
  // INTERNAL: the request of that number has been carried out.
  caf::reacts_to<reply_atom, uint64_t, outcome<artifact_answer>>>;

/// What a program of one run asks of models: rounds, tokens, guards.
using sampling_session_actor = caf::typed_actor<
  // Asks. The answer is a document for the guest; of a stream: its number.
  caf::replies_to<sample_atom, sample_request>::with<outcome<document>>,
  // What has come of that stream since the last time; waits for the next piece.
  caf::replies_to<next_atom, uint64_t>::with<outcome<document>>,
  // The program has left that stream.
  caf::reacts_to<cancel_atom, uint64_t>,
  // The run is over: ends what is open, and tells what was used.
  caf::replies_to<finish_atom>::with<sampling_report>,
  // INTERNAL: the prompt of the question of that number has been looked through; the fault says why it may not be sent.
  caf::reacts_to<checked_atom, uint64_t, fault>,
  // INTERNAL: likewise the answer to it; the fault says why it could not be.
  caf::reacts_to<checked_atom, reply_atom, uint64_t, fault>,
  // INTERNAL: text of the question of that number.
  caf::reacts_to<received_atom, uint64_t, std::string>,
  // INTERNAL: how often it has been asked by now.
  caf::reacts_to<sample_atom, uint64_t, uint32_t>,
  // INTERNAL: its end.
  caf::reacts_to<reply_atom, uint64_t, outcome<model_answer>>>;

/// One question to a provider of models, with all its tries, and ends. A part of a sampling session, which hears of it
/// by the listener that it was made with, and gives it up by an exit message.
using provider_request_actor = caf::typed_actor<
  // INTERNAL: a piece of the stream that answers the try of that number.
  caf::reacts_to<received_atom, uint32_t, std::string>,
  // INTERNAL: how that try has ended.
  caf::reacts_to<reply_atom, uint32_t, provider_reply>,
  // INTERNAL: what came of it has been read; the fault says why it could not be.
  caf::reacts_to<checked_atom, fault>,
  // INTERNAL: time to try again.
  caf::reacts_to<tick_atom>>;

/// One run: allowlist, deadline, call tracker, its sandbox.
using execution_actor = caf::typed_actor<
  // Runs the program; the report is the only answer, whatever happens. The listener hears of its progress.
  caf::replies_to<run_atom, run_request, run_listener>::with<run_report>,
  // The client has lost interest; the server is being stopped.
  caf::reacts_to<cancel_atom>, caf::reacts_to<stop_atom>,
  // So many bytes are held by now of what models answer to the program.
  caf::reacts_to<hold_atom, uint64_t>,
  // INTERNAL: the run's time is nearly over: calls wait no longer for servers that do not start.
  caf::reacts_to<nearly_over_atom>,
  // INTERNAL: the run's time is over, unless it stood still; the record is to hear of calls that are open for long.
  caf::reacts_to<deadline_atom>, caf::reacts_to<tick_atom>,
  // A model that the program has asked wants this tool to be called: like a call of the program.
  caf::replies_to<call_atom, tool_ref, document>::with<outcome<document>>,
  // The tools that the run may use and one of the patterns names; servers that they name are started.
  caf::replies_to<tools_atom, std::vector<std::string>>::with<outcome<tool_list>>,
  // INTERNAL: the large result of that call of the guest has been unwrapped; or what is checked before the run, or
  // displayed, has been looked at.
  caf::reacts_to<reply_atom, uint64_t, outcome<document>>>::extend_with<guest_listener>::extend_with<progress_listener>;

/// Finds the tools that a model may get for one question of a program, and ends. A part of an execution, which hands
/// the question on to it.
using model_tools_actor = caf::typed_actor<
  // As the execution answers it: those of all servers whose tools are known; a server that a pattern names is started
  // if need be. Once, with patterns of a size that was checked.
  caf::replies_to<tools_atom, std::vector<std::string>>::with<outcome<tool_list>>>;

/// Holds a program's types against the tools before it runs, and ends. A part of an execution: it ends with it.
using type_check_actor = caf::typed_actor<
  // Answers with a list of `{line, column, message}`. Once.
  caf::replies_to<run_atom, type_check_request>::with<outcome<document>>,
  // INTERNAL: what the compiler has said.
  caf::reacts_to<reply_atom, outcome<document>>>;

/// Lets a bounded number of runs go on at once and keeps a bounded number waiting.
using admission_actor = caf::typed_actor<
  // Runs it as soon as there is room. The listener hears of its progress.
  caf::replies_to<run_atom, run_request, run_listener>::with<run_report>,
  // Ends that run, or takes it out of the queue.
  caf::reacts_to<cancel_atom, uint64_t>,
  // That run waits for a person, or a model of the client: another one may have its place. False: too many do.
  caf::replies_to<rest_atom, uint64_t>::with<bool>,
  // It goes on.
  caf::reacts_to<go_on_atom, uint64_t>,
  // How full is it?
  caf::replies_to<status_atom>::with<admission_status>,
  // Cancels all runs, takes no more; answered when the last one has ended.
  caf::replies_to<stop_atom>::with<bool>,
  // INTERNAL: that run has waited long enough.
  caf::reacts_to<deadline_atom, uint64_t>,
  // INTERNAL: that run should have ended by now.
  caf::reacts_to<tick_atom, uint64_t>>;

/// Asks all the others how they are.
using health_actor = caf::typed_actor<
  // Answered when all others have answered, or have had long enough.
  caf::replies_to<status_atom>::with<health_report>,
  // INTERNAL: what the machine looks like, for the question of that number.
  caf::reacts_to<reply_atom, uint64_t, machine_status>,
  // INTERNAL: that takes too long.
  caf::reacts_to<deadline_atom, uint64_t>>;

/// One client connection, whoever serves it.
using client_connection_actor = caf::typed_actor<
  // INTERNAL: a JSON text of the client, and the stream that answers it. Answered so that the reader waits.
  caf::replies_to<received_atom, document, uint64_t>::with<bool>,
  // INTERNAL: a line that is no JSON text: JSON-RPC error code, why, and what can be told of it (process::json_event).
  caf::replies_to<rejected_atom, int32_t, std::string, document>::with<bool>,
  // INTERNAL: nobody reads that stream any more: what it would answer is cancelled.
  caf::reacts_to<closed_atom, uint64_t>,
  // The client is gone: its runs are cancelled, and the session ends.
  caf::reacts_to<closed_atom>,
  // Answers nothing more, writes out what is owed; answered when that is done.
  caf::replies_to<stop_atom>::with<bool>>;

/// One client: revision, requests in flight.
using client_session_actor = client_connection_actor::extend_with<run_listener>::extend<
  // INTERNAL: the client has heard nothing of that run for a while.
  caf::reacts_to<tick_atom, uint64_t>>;

/// One server as it is, for one client.
using relay_session_actor = client_connection_actor::extend<
  // INTERNAL: a message of the server, by connection number, and the request on whose answer's stream it came or 0.
  caf::replies_to<received_atom, uint64_t, document, uint64_t>::with<bool>,
  // INTERNAL: a line that is no JSON-RPC.
  caf::replies_to<non_protocol_atom, uint64_t, std::string>::with<bool>,
  // INTERNAL: that connection is gone, and why; a timer of it.
  caf::reacts_to<closed_atom, uint64_t, fault>, caf::reacts_to<tick_atom, uint64_t, uint8_t>>;

/// The clients that come over HTTP: each has a session of its own.
using clients_actor = caf::typed_actor<
  // A new one.
  caf::replies_to<attach_atom, client_opening>::with<client_connection_actor>,
  // That connection is gone for good. Its runs end, and so do its guests if no other connection has the same owner.
  caf::reacts_to<closed_atom, uint32_t>,
  // Every session answers what it owes; answered when that is done.
  caf::replies_to<stop_atom>::with<bool>>;

/// Follows the files that list servers, and tells the supervisor of others.
using configuration_actor = caf::typed_actor<
  // INTERNAL: time to look at the files.
  caf::reacts_to<tick_atom>,
  // INTERNAL: time to compare the files with what they were when they were read, whatever the watch has told.
  caf::reacts_to<compare_atom>,
  // INTERNAL: something may have changed since the last look; false: it is not known.
  caf::reacts_to<observed_atom, bool>,
  // INTERNAL: everything has been read, or why not.
  caf::reacts_to<checked_atom, fault>>;

/// Starts the others in order, starts anew those that die, and ends them in order.
using supervisor_actor = caf::typed_actor<
  // Other servers are configured now: the connector hears of it, and so does one that is started later.
  caf::replies_to<reload_atom, server_entries>::with<server_changes>,
  // INTERNAL: time to start that one anew.
  caf::reacts_to<tick_atom, uint32_t>,
  // The client is gone, or a signal came. Answered when nothing is left.
  caf::replies_to<stop_atom>::with<bool>>;

} // namespace msg
