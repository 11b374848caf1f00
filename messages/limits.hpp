// Every bound of the program: value, unit, reason. A setting may lower or raise those that name a key;
// the others are fixed. Relations between them are asserted at the end.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace msg::limits {

using std::chrono::milliseconds;

// ---- the client's connection ---------------------------------------------------------------

/// One line from the client. The largest legitimate request is one program of `code_bytes_max`; JSON escaping
/// can make it six times as long.
inline constexpr size_t client_line_bytes_max = 16u << 20;
/// Requests of the client that may be in flight; more are answered `overloaded`.
inline constexpr size_t client_requests_max = 1'000;
/// Messages in one batch (revision 2025-03-26 only).
inline constexpr size_t client_batch_max = 100;
/// One answer, or those of one batch together. What would be more is an error of that request.
inline constexpr size_t client_answer_bytes_max = 96u << 20;
/// All answers that wait to be read: ten of the largest, or what 60 runs may display. What would be more is an error of
/// that request.
inline constexpr size_t client_unsent_bytes_max = 1u << 30;
/// An answer of so much has room in any case, like errors and notifications: it costs less than to ask again.
inline constexpr size_t client_small_answer_bytes_max = 4u << 10;
/// The room for those. When it is used up as well, the connection is given up.
inline constexpr size_t client_spare_bytes_max = 96u << 20;
/// A client for which more than this waits, and which has read nothing for so long, is given up. With less, one that is
/// only stopped (in a debugger, say) costs little.
inline constexpr size_t client_deaf_bytes_min = 128u << 20;
inline constexpr milliseconds client_deaf_after{10'000};
/// While so many messages wait for a client, it is told of no progress, and nothing more is read of it until it has
/// read some, or has read nothing for `client_deaf_after`.
inline constexpr size_t client_unread_messages_max = 2'000;
/// JSON texts above this are parsed and written on another thread. It is about 1 ms of work where values are small;
/// what many peers send at once, each just below it, is what the answer to another client waits for.
inline constexpr size_t json_inline_bytes_max = 64u << 10;
/// Distance of two progress notifications of one run.
inline constexpr milliseconds progress_interval{100};
/// Clients give up a request after 60 s without a word (measured: opencode, Qwen Code), some after 30 s.
inline constexpr milliseconds progress_heartbeat{10'000};

// ---- runs ----------------------------------------------------------------------------------

inline constexpr size_t code_bytes_max = 1u << 20;
inline constexpr milliseconds run_timeout_min{1'000};
inline constexpr milliseconds run_timeout_default{30'000};
inline constexpr milliseconds run_timeout_max{300'000};
inline constexpr size_t runs_max = 100;        ///< running at once
inline constexpr size_t runs_queued_max = 200; ///< waiting for a place
inline constexpr milliseconds run_queue_wait_max{30'000};
/// The longest that the settings can make it.
inline constexpr milliseconds run_queue_wait_most{300'000};
/// Text of one run that reaches the model, in characters (code points) of output and, apart from it, of result.
inline constexpr size_t model_text_chars_max = 25'000;
/// Output held of one stream of one run; half of it from the beginning, half from the end.
inline constexpr size_t output_held_bytes_max = 16u << 20;
inline constexpr uint32_t tool_calls_max = 10'000; ///< per run
/// What the server holds for one run: arguments, results and answers on their way, what is displayed and printed.
/// runs.maxHeldMb
inline constexpr uint64_t run_held_bytes_max = 256u << 20;
/// A run tells its sandbox what it holds when that has changed by so much: what is less can not starve other runs.
inline constexpr uint64_t held_bytes_step = 1u << 20;
/// Tools of one run that are counted by name; the others are counted together. A program can make names up.
inline constexpr size_t tools_counted_max = 200;
/// Of such a name, and of the last error of its calls.
inline constexpr size_t counted_name_bytes_max = 200;
inline constexpr size_t counted_error_bytes_max = 4'000;
/// A call that has failed so often in one run with the same arguments is not made again.
inline constexpr uint32_t same_failures_max = 20;
/// Different failing calls of one run that are remembered for it.
inline constexpr size_t failing_calls_max = 1'000;
/// Requests of one guest that may be in flight at once.
inline constexpr size_t guest_requests_max = 1'000;
inline constexpr size_t allowed_tools_max = 1'000; ///< patterns in one `allowedTools`
inline constexpr size_t pattern_bytes_max = 512;   ///< one pattern
/// All patterns with a star of one request together: a thousand of 16 bytes. A name that fits none of them may be held
/// against each of their bytes.
inline constexpr size_t patterns_bytes_max = 16u << 10;

/// Threads for what guests and MCP servers make us parse and write. More than one, so that one long text does not hold
/// up the others.
inline constexpr size_t work_threads = 2;

// ---- guests --------------------------------------------------------------------------------

/// One frame on the control channel, either way.
inline constexpr size_t frame_bytes_max = 64u << 20;
/// Of guests, above ours: the server comes first where programs want all there is. Longest ping while 20 of them start
/// and compute on two cores: 240 to 530 ms without it, 75 to 220 with 5, 60 to 90 with 10; but beside something that
/// computes without a break they then get a ninth of a core.
inline constexpr int guest_niceness = 5;
inline constexpr size_t guest_memory_bytes_max = 512u << 20;
inline constexpr size_t guest_processes_max = 64;
inline constexpr size_t guest_temp_bytes_max = 64u << 20;
inline constexpr size_t guest_open_files_max = 256;
/// One file of a guest. Its temp space is smaller anyway: this bounds what it writes into folders it was given.
inline constexpr size_t guest_file_bytes_max = 1u << 30;
/// What is read from a pipe of a finished guest at most: Linux pipes hold 64 KiB, 1 MiB at the most.
inline constexpr size_t guest_final_drain_bytes_max = 2u << 20;
/// CPU time of one process of a guest that serves a run; of one that serves a session.
inline constexpr uint32_t guest_cpu_seconds_max = 310;
inline constexpr uint32_t session_cpu_seconds_max = 3'600;
/// Content blocks that one run may display, and their bytes in all; images are base64.
inline constexpr size_t display_blocks_max = 100;
inline constexpr size_t display_bytes_max = 16u << 20;
/// Files, folders and hosts that one run may ask for, of each kind.
inline constexpr size_t permissions_max = 100;
/// Places in a sandbox that `permissions.read` and `permissions.write` make, with those of every name of a folder
/// around them.
inline constexpr size_t granted_places_max = 400;
/// Parts of all their paths together: each is held against each of the others, which takes 30 ms then.
inline constexpr size_t granted_parts_max = 2'000;
inline constexpr size_t path_bytes_max = 4'096;

// ---- guests that wait for a run --------------------------------------------------------------

/// Kept waiting per runtime: at rest, and under demand. A waiting Deno holds 60 MB, a Python 12 MB.
inline constexpr uint32_t pool_guests = 1;
inline constexpr uint32_t pool_guests_max = 4;
/// Without a miss for so long, one guest less is kept.
inline constexpr std::chrono::seconds pool_idle{60};
/// A guest that was taken is replaced after this: a short run is over by then and was not disturbed.
inline constexpr milliseconds pool_refill_delay{5};
/// The first guests are started when the client has had its first answers.
inline constexpr milliseconds pool_first_delay{50};
/// Waiting guests that die are replaced after this, doubled each time.
inline constexpr milliseconds pool_backoff_first{500};
inline constexpr milliseconds pool_backoff_max{60'000};

// ---- sessions --------------------------------------------------------------------------------

inline constexpr uint32_t sessions_max = 16; ///< each is a whole guest
inline constexpr std::chrono::seconds session_idle{1'800};
inline constexpr size_t session_name_bytes_max = 100;
inline constexpr size_t session_queue_max = 16; ///< runs waiting for one session

// ---- looking at the machine ------------------------------------------------------------------

/// Looking at an interpreter (version, prefix) before its first use.
inline constexpr milliseconds runtime_probe_timeout{5'000};
/// Building an empty sandbox, which takes 4 ms. Blocks the only thread.
inline constexpr milliseconds isolation_probe_timeout{2'000};

// ---- the network of guests -----------------------------------------------------------------

/// Entries in one `permissions.net`.
inline constexpr size_t egress_patterns_max = 100;
/// Connections of one guest that are open at once; further ones wait in the kernel's queue. Deno opens one for each
/// fetch.
inline constexpr size_t egress_connections_max = 64;
/// Names of one guest that are being looked up at once: each has sockets of its own, one or two for a name server.
inline constexpr size_t egress_lookups_max = 4;
/// Addresses of one name that are looked at: an answer over TCP holds 4,000. None of the others is ever connected to.
inline constexpr size_t egress_addresses_max = 16;
/// Request and response heads; what common servers take.
inline constexpr size_t egress_head_bytes_max = 64u << 10;
inline constexpr size_t egress_fields_max = 200; ///< header fields in one head
inline constexpr milliseconds egress_head_timeout{10'000};
/// c-ares asks one name server twice in that time: after 5 s again.
inline constexpr milliseconds egress_lookup_timeout{10'000};
/// When a name has addresses of one family: for those of the other one (RFC 8305, 3, says 50 ms). Some name servers
/// never answer questions for IPv6.
inline constexpr milliseconds egress_other_family_max{300};
inline constexpr milliseconds egress_dial_timeout{5'000}; ///< one address
inline constexpr size_t egress_dial_addresses_max = 4;    ///< tried for one connection
static_assert(egress_dial_addresses_max <= egress_addresses_max);
/// Nothing in either direction: as long as a run can be.
inline constexpr milliseconds egress_idle_timeout{run_timeout_max};
/// For the client to take the answer of the proxy itself.
inline constexpr milliseconds egress_answer_timeout{2'000};
/// What is still read of a client that was refused, so that its unread bytes do not destroy the answer.
inline constexpr size_t egress_discard_bytes_max = 1u << 20;
/// guest-init opens the listener right after the box is built.
inline constexpr milliseconds egress_listener_timeout{5'000};

// ---- child servers -------------------------------------------------------------------------

/// One line of a child. A line of this length or more ends the child: it can not be answered for.
inline constexpr size_t child_line_bytes_max = 64u << 20;
inline constexpr size_t child_unsent_bytes_max = 128u << 20;
/// Messages waiting for a process that does not read. The text of a small one is the least of what it takes (measured:
/// 500 bytes).
inline constexpr size_t unsent_messages_max = 20'000;
/// Calls waiting or in flight at one child.
inline constexpr size_t child_calls_max = 10'000;
/// From the start of the process to the end of tools/list. `npx` may have to download first.
inline constexpr milliseconds child_handshake_timeout{60'000}, child_handshake_timeout_max{600'000};
/// A child that printed text instead of an answer gets this long to still answer the handshake.
inline constexpr milliseconds child_non_protocol_grace{5'000};
/// Lines that are no JSON-RPC, between two that are.
inline constexpr size_t child_garbage_lines_max = 1'000;
inline constexpr size_t child_tool_pages_max = 1'000;
/// What the catalog works in at once: 0.3 s. Of all servers that are known, the longest lists have 1,000.
inline constexpr size_t child_tools_max = 25'000;
/// The protocol speaks of 128 characters; a tool with a longer name is left out.
inline constexpr size_t child_tool_name_bytes_max = 512;
/// In memory. One definition is read, compiled and described in one piece: 20 ms. The largest known one has 0.2 MB.
inline constexpr size_t child_tool_bytes_max = 8u << 20;
/// Lists of more tools, or of more memory, are put in order, and let go of, on another thread: 2 ms of work here.
inline constexpr size_t child_tools_at_once_max = 1'000;
inline constexpr size_t child_tools_at_once_bytes_max = 2u << 20;
/// server-everything announces its tools twice right after the handshake; generators announce hundreds in a row.
inline constexpr milliseconds child_list_debounce{100};
inline constexpr milliseconds child_backoff_first{200};
inline constexpr milliseconds child_backoff_max{30'000};
/// Up time after which earlier failures are forgotten.
inline constexpr milliseconds child_healthy_after{10'000};
/// Failures in the window after which nothing is sent for a while; then one call is tried.
inline constexpr uint32_t breaker_failures_max = 5;
inline constexpr milliseconds breaker_window{60'000};
inline constexpr milliseconds breaker_open_for{30'000};
/// Processes started for one server within any minute: a server that comes up and dies again and again is left alone
/// for a while.
inline constexpr uint32_t child_starts_per_minute = 20;
/// Without a call, a waiting caller or a subscription for so long, a server is stopped.
inline constexpr milliseconds child_idle{600'000};
/// Servers that run at once; the one that was not used for the longest time makes room.
inline constexpr uint32_t children_running_max = 50;
/// Calls of one server that are with it at once; the others wait, run by run in turn.
inline constexpr uint32_t child_calls_at_once = 32;
/// Buckets of the rate limiter; full ones make room first.
inline constexpr size_t rate_buckets_max = 10'000;
/// Compiled schemas of the tools of one server that are kept for the next call, by what they take; they are compiled
/// anew when they are needed.
inline constexpr size_t child_contracts_bytes_max = 32u << 20;
/// Orderly stop: stdin closed, then SIGTERM, then SIGKILL. Their sum keeps the end of the server within its 2 s.
inline constexpr milliseconds child_stop_stdin{700};
inline constexpr milliseconds child_stop_sigterm{500};
/// Text of a child's stderr and of its non_protocol_line that is quoted in errors.
inline constexpr size_t child_quote_bytes_max = 500;
/// What a server says of why it can not be used: it is kept, logged, and told to every client or program that asks how
/// the server is.
inline constexpr size_t child_problem_bytes_max = 4u << 10;
/// Text of the error of one call, for the program that made it. Programs that want more of a failed call let the server
/// answer it as a result.
inline constexpr size_t child_error_bytes_max = 256u << 10;

// ---- discovery and configuration -----------------------------------------------------------

inline constexpr size_t search_results_default = 10;
inline constexpr size_t search_results_max = 100;
inline constexpr size_t query_bytes_max = 1'000;
/// Servers that one discovery may start because they are named.
inline constexpr size_t search_starts_max = 5;
inline constexpr milliseconds discovery_timeout{15'000};
/// Of a file of the user: `~/.claude.json` also keeps histories.
inline constexpr size_t config_file_bytes_max = 64u << 20;
/// Of all files of the project together, each time that one is read, a link to another one too: the author of the
/// project does not say how much work a start is. Those of real projects have kilobytes.
inline constexpr size_t config_project_bytes_max = 8u << 20;
/// What they take when they are parsed. `[[],[],...` takes twenty times its text.
inline constexpr size_t config_project_parsed_bytes_max = 64u << 20;
/// In all; also entries that are looked at of one file, and of all files of the project.
inline constexpr size_t config_servers_max = 10'000;
inline constexpr size_t config_folder_files_max = 1'000;   ///< of one folder with a file per server
inline constexpr size_t config_folder_names_max = 100'000; ///< in such a folder
inline constexpr size_t config_problems_max = 100;         ///< told of one file
/// Told of entries in files of the project, which may be a thousand and more.
inline constexpr size_t config_project_problems_max = 1'000;
inline constexpr size_t config_typed_bytes_max = 1u << 20; ///< TOML and YAML: people write those by hand
/// In one of those; YAML's aliases count by what they stand for.
inline constexpr size_t config_typed_values_max = 100'000;
inline constexpr size_t config_toml_key_parts_max = 32; ///< of one dotted key, and of nested values
/// Arguments, variables and header fields of one entry together. Linux takes 2 MiB of arguments and variables.
inline constexpr size_t config_entry_texts_max = 1'000;
inline constexpr size_t config_entry_bytes_max = 1u << 20;
/// One file that an entry names for a variable, or for more of them.
inline constexpr size_t entry_file_bytes_max = 1u << 20;
/// One argument, or one variable with its name: Linux takes no longer ones.
inline constexpr size_t argument_bytes_max = 128u << 10;
/// Our own settings are written by hand.
inline constexpr size_t settings_file_bytes_max = 1u << 20;
inline constexpr size_t settings_list_max = 1'000; ///< entries in one list

// ---- memory and saved tools ------------------------------------------------------------------

inline constexpr size_t memory_key_bytes_max = 200;
inline constexpr size_t memory_value_bytes_max = 1u << 20;     ///< of JSON text
inline constexpr size_t memory_metadata_bytes_max = 16u << 10; ///< of JSON text; also of the description of a tool
inline constexpr size_t memory_keys_max = 10'000;              ///< of one scope
inline constexpr size_t memory_total_bytes_max = 64u << 20;    ///< of one scope: values, metadata and tools together
/// Of all scopes, so that one project can not fill the disk under many names of clients.
inline constexpr size_t memory_file_bytes_max = 512u << 20;
inline constexpr size_t memory_client_bytes_max = 100; ///< of the name of a client, which is cut
inline constexpr size_t saved_tool_bytes_max = 256u << 10;
inline constexpr size_t saved_tools_max = 1'000; ///< of one scope
/// A list with more metadata is refused: it has to fit into a frame.
inline constexpr size_t memory_list_bytes_max = 16u << 20;
/// One request of a guest about memory; non-ASCII text can be written in up to six times its bytes.
inline constexpr size_t memory_frame_bytes_max = 8u << 20;
inline constexpr size_t memory_requests_max = 1'000; ///< waiting for the store

// ---- the record ----------------------------------------------------------------------------

inline constexpr size_t audit_queue_max = 10'000; ///< events waiting for the disk
inline constexpr size_t audit_batch_max = 500;    ///< written at once
/// Places for beginnings and ends of runs, which nothing else may take: two for each that runs or waits by default,
/// 600.
inline constexpr size_t audit_run_places = 1'000;
/// Events of calls come in bursts; this is how long one waits for others.
inline constexpr milliseconds audit_delay{100};
/// At the end of the process, when another one holds the lock.
inline constexpr milliseconds audit_retry_delay{10};
/// Another server holds the lock while it writes a batch: milliseconds. After this it is said that somebody holds it.
inline constexpr std::chrono::seconds audit_locked_most{5};
inline constexpr size_t audit_line_bytes_max = 16u << 10;
/// Programs and arguments that wait to be digested. Above the second one no event waits for others.
inline constexpr size_t audit_queue_bytes_max = 64u << 20;
inline constexpr size_t audit_batch_bytes_max = 4u << 20;
/// Of one run, and connections of one guest: a program that tries without end does not fill the disk.
inline constexpr uint32_t audit_refusals_max = 100;
inline constexpr uint32_t audit_connections_max = 1'000;
/// A tool call that has been open for so long has a line that says so: a crash leaves no older one without a trace.
inline constexpr milliseconds audit_open_after{1'000};
/// So many of one run at a time, and the others after a pause: they do not take the queue from other runs.
inline constexpr size_t audit_open_at_once = 50;
inline constexpr milliseconds audit_open_pause{100};
/// What an error and a list of names have of a line.
inline constexpr size_t audit_error_bytes_max = 500;
inline constexpr size_t audit_names_max = 40;
inline constexpr size_t audit_name_bytes_max = 200;
/// For the last lines, at the end of the process.
inline constexpr milliseconds audit_finish_max{100};

// ---- the health port -----------------------------------------------------------------------

inline constexpr size_t health_connections_max = 16;
/// A request has to come within this.
inline constexpr milliseconds health_request_max{5'000};
inline constexpr size_t health_header_bytes_max = 8u << 10;
/// Of one actor: the connector gives its servers 5 s.
inline constexpr milliseconds health_answer_max{6'000};

// ---- the catalog of tools --------------------------------------------------------------------

/// Definitions of one server's tools as JSON text; more are known while the program runs and not stored. 23,000 tools
/// of real servers have 25 MB.
inline constexpr size_t catalog_server_bytes_max = 64u << 20;
/// All definitions stored; what was not seen for the longest time makes room.
inline constexpr size_t catalog_total_bytes_max = 512u << 20;
/// Entries that no configuration has had for so long are forgotten.
inline constexpr std::chrono::hours catalog_unseen_max{24 * 90};
/// Definitions in one answer, as JSON text; a longer list ends there. It has to fit into a frame.
inline constexpr size_t catalog_answer_bytes_max = 16u << 20;
inline constexpr size_t catalog_requests_max = 1'000; ///< waiting for the catalog
/// Changes of the search index are written to disk after this: servers are often started in a row.
inline constexpr milliseconds catalog_save_delay{2'000};
/// Search indexes kept on disk, one for each set of servers that is configured somewhere.
inline constexpr size_t catalog_indexes_max = 8;
/// Servers that `code-executor index` starts at once.
inline constexpr size_t index_starts_max = 4;
/// Approved definitions of tools, of all servers. Nothing makes room: what is forgotten would be approved anew,
/// whatever it is by then.
inline constexpr size_t pins_total_bytes_max = 512u << 20;
/// What is learned of the results of one tool.
inline constexpr size_t observed_schema_bytes_max = 64u << 10;

// ---- outputs that are kept for later -----------------------------------------------------------

inline constexpr std::chrono::seconds outputs_ttl{3'600};
inline constexpr uint64_t outputs_bytes_max = 256u << 20; ///< in all; the oldest go first
/// Requests waiting for the worker. Each run that ends makes one at most, and its guest may have made others.
inline constexpr size_t outputs_requests_max = 2'000;
/// An answer waits for its handle no longer than this, and after the run's deadline no longer than the second. Writing
/// 16 MiB takes 30 ms.
inline constexpr milliseconds outputs_wait_max{5'000};
inline constexpr milliseconds outputs_wait_after_deadline{100};
inline constexpr size_t outputs_listed_max = 100; ///< resources of one list: the youngest
/// Kept values that were read stay parsed up to this, for programs that read by parts; parsing one takes up to a
/// second.
inline constexpr uint64_t outputs_parsed_bytes_max = 512u << 20;
inline constexpr size_t outputs_parsed_max = 8;
/// What the model sees of a value that is too large.
inline constexpr size_t shape_bytes_max = 1'200;
inline constexpr size_t sample_bytes_max = 2'000;

// ---- this process ----------------------------------------------------------------------------

/// Data of the server itself (RLIMIT_DATA): a mistake of ours ends what asked for too much, not the machine.
/// process.dataMb, and the least that it may be.
inline constexpr uint64_t process_memory_bytes_max = uint64_t{4'096} << 20;
inline constexpr uint64_t process_memory_bytes_min = uint64_t{1'024} << 20;

/// An actor of the process that has failed is started anew after so long: twice as long each time, and from the first
/// again once it has served well.
inline constexpr milliseconds service_backoff_first{10};
inline constexpr milliseconds service_backoff_max{5'000};
inline constexpr milliseconds service_well{60'000};

// ---- the end -------------------------------------------------------------------------------

/// From the end of stdin, or SIGTERM, to the end of the process.
inline constexpr milliseconds shutdown_max{2'000};

static_assert(client_line_bytes_max >= 6 * code_bytes_max + (1u << 20));
static_assert(run_timeout_min <= run_timeout_default && run_timeout_default <= run_timeout_max);
static_assert(std::chrono::seconds{guest_cpu_seconds_max} > run_timeout_max);
static_assert(pool_guests <= pool_guests_max && pool_backoff_first < pool_backoff_max);
static_assert(display_bytes_max < frame_bytes_max);
static_assert(2 * output_held_bytes_max + display_bytes_max < run_held_bytes_max);
static_assert(run_held_bytes_max + frame_bytes_max < process_memory_bytes_max);
static_assert(frame_bytes_max >= client_line_bytes_max, "every accepted program fits into a frame");
static_assert(memory_frame_bytes_max > 6 * memory_value_bytes_max && memory_list_bytes_max * 3 < frame_bytes_max);
static_assert(catalog_answer_bytes_max * 3 < frame_bytes_max);
static_assert(client_answer_bytes_max < client_unsent_bytes_max, "an answer of any request fits into an empty queue");
static_assert(client_unread_messages_max + client_requests_max < unsent_messages_max);
static_assert(client_deaf_bytes_min < client_unsent_bytes_max);
static_assert(unsent_messages_max * client_small_answer_bytes_max <= client_spare_bytes_max);
static_assert(child_unsent_bytes_max > frame_bytes_max, "one maximal call fits into an empty queue");
static_assert(child_stop_stdin + child_stop_sigterm < shutdown_max);
static_assert(child_backoff_first < child_backoff_max && service_backoff_first < service_backoff_max);
static_assert(model_text_chars_max * 4 < output_held_bytes_max / 2);

} // namespace msg::limits
