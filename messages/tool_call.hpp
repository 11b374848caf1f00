// What an execution, the connector and a child server say to each other about tools and calls.
#pragma once

#include "messages/client_abilities.hpp"
#include "messages/document.hpp"
#include "messages/errors.hpp"
#include "messages/fields.hpp"
#include "messages/trace.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace msg {

/// What is asked of a child. All but the first are allowed and counted like a tool of that name:
/// `mcp__<server>__resources/read`.
enum class child_method : uint8_t { call_tool, list_resources, read_resource, list_prompts, get_prompt };

/// As in the protocol: "tools/call", "resources/read".
std::string_view to_string(child_method method);

/// A tool as a program names it: by full name (`mcp__<server>__<tool>`), or by server and tool.
/// Either part may be an identifier-safe alias.
struct tool_ref {
  std::string full_name; ///< empty: server and tool count
  std::string server;
  std::string tool;
  child_method method = child_method::call_tool; ///< others need a server, and no tool
  uint64_t run = 0;                              ///< that asks; 0: none
  auto fields() { return std::tie(full_name, server, tool, method, run); }
};

/// One tool of a child.
struct tool_info {
  std::string server;
  std::string name;
  std::string description;
  document definition; ///< the whole tool object, as the child sent it
  /// A JSON Schema of what its results looked like, if it declares none and a caller asked; else null.
  document observed;
  /// How it differs from what was approved, as a sentence goes on from its name; empty: it does not, or is not watched.
  std::string changed;
  /// Its aliases mean another tool or server: programs call it by the names that these have.
  bool needs_own_name = false;
  bool needs_consent = false; ///< of a person, to each call of it; told to runs that ask for the tool alone
  auto fields() {
    return std::tie(server, name, description, definition, observed, changed, needs_own_name, needs_consent);
  }
};

using tool_list = std::vector<tool_info>;

/// The tools of a server, as they were read once. It is never copied: a list may hold 80,000 of them, and its server's
/// actor, the connector and the catalog all have it.
class listed_tools {
public:
  listed_tools() = default; ///< none
  listed_tools(tool_list tools) : tools_(std::make_shared<const tool_list>(std::move(tools))) {}
  listed_tools(std::initializer_list<tool_info> tools) : listed_tools(tool_list{tools}) {}

  const tool_list& operator*() const;
  const tool_list* operator->() const { return &**this; }
  /// The very same list, not an equal one.
  bool shares(const listed_tools& other) const { return tools_ == other.tools_; }

private:
  std::shared_ptr<const tool_list> tools_;
};

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, listed_tools& x) {
  auto tools = Inspector::reads_state ? *x : tool_list{};
  if constexpr (std::is_void_v<typename Inspector::result_type>) { // printing
    f(tools);
  } else {
    auto result = f(tools);
    if constexpr (Inspector::writes_state)
      x = std::move(tools);
    return result;
  }
}

/// The list of a server, held against what was approved of it.
struct reviewed_tools {
  listed_tools tools; ///< that may be used
  uint32_t held = 0;  ///< that may not, until the user approves them; they are not in the list
  auto fields() { return std::tie(tools, held); }
};

/// Identifies a call in the whole process: run, and number within the run.
struct call_key {
  uint64_t run = 0;
  uint64_t call = 0;
  auto fields() { return std::tie(run, call); }
  auto operator<=>(const call_key&) const = default;
};

/// Why calls have no result whose run is over: those that their server has got, and those that it will never see.
inline constexpr auto run_ended_unanswered = "the run ended before the answer came";
inline constexpr auto run_ended_unsent = "the run ended before it was sent";

/// Which tools a run may use: all, or those whose whole name one of the patterns matches (`*`: any run of characters).
struct tool_filter {
  bool everything = true;
  std::vector<std::string> patterns;
  std::vector<std::string> servers; ///< only tools of these; empty: of any
  auto fields() { return std::tie(everything, patterns, servers); }
};

/// To which call a person has agreed: to no other tool than this one.
struct consent {
  std::string server, tool; ///< as in tool_call; empty: to none
  auto fields() { return std::tie(server, tool); }
};

/// A call as a program wants it.
struct tool_request {
  call_key key;
  tool_ref tool;
  tool_filter allowed; ///< what its run may use
  document arguments;  ///< an object; of others than tools/call: its `params`
  bool wants_progress = false;
  bool wants_meaning = false; ///< to hear which tool is meant as soon as the call is sent
  trace_headers trace;
  uint32_t patience_ms = 0; ///< so long the caller will wait; 0: not told
  call_asker asker;
  consent agreed; ///< without it, a call that needs consent is answered with not_approved, and where it would have gone
  document faults; ///< see run_request
  auto fields() {
    return std::tie(key, tool, allowed, arguments, wants_progress, wants_meaning, trace, patience_ms, asker, agreed,
                    faults);
  }
};

/// The same as its server gets it: found and allowed.
struct tool_call {
  call_key key;
  std::string server; ///< configured name
  std::string tool;   ///< raw name; of others than tools/call: the method
  document arguments;
  bool wants_progress = false;
  child_method method = child_method::call_tool;
  trace_headers trace;
  uint32_t patience_ms = 0;
  call_asker asker = {};
  document faults = {}; ///< see run_request
  auto fields() {
    return std::tie(key, server, tool, arguments, wants_progress, method, trace, patience_ms, asker, faults);
  }
};

struct tool_result {
  document envelope; ///< the CallToolResult, as the child sent it
  /// How it, or what the tool was sent, differs from what was promised or given; empty: it does not.
  std::string warning;
  std::string server; ///< that has answered
  std::string tool;   ///< as in tool_call
  auto fields() { return std::tie(envelope, warning, server, tool); }
};

/// A child's notifications/progress, on its way to the actor that made the call.
struct tool_progress {
  call_key key;
  double progress = 0;
  double total = 0; ///< 0: unknown
  std::string message;
  auto fields() { return std::tie(key, progress, total, message); }
};

/// A child's notifications/message, on its way to the client that the call is made for. Without the server's secrets.
struct server_log {
  call_key key;
  bool is_sure = true; ///< else of several runs of one client, which the server does not tell apart, it is the last one
  log_level level = log_level::info;
  std::string logger; ///< who speaks: the name of the server, and of its part, if it says that
  document data;      ///< any value
  auto fields() { return std::tie(key, is_sure, level, logger, data); }
};

/// How much a list says of a tool: its name; what fits into a line or two; what it does and takes, as the server says
/// it; all.
enum class tool_detail : uint8_t { minimal, standard, declared, full };

/// A question to the tool index.
struct tool_query {
  std::string text;   ///< empty: every tool
  std::string server; ///< empty: any; named: started if need be
  uint32_t limit = 0;
  tool_filter allowed;
  uint64_t run = 0; ///< that asks; 0: none
  auto fields() { return std::tie(text, server, limit, allowed, run); }
};

/// How well the best tool of an answer fits.
enum class search_fit : uint8_t { good, poor, nothing };

struct tool_matches {
  tool_list tools;                               ///< best first
  uint32_t total = 0;                            ///< before the limit
  std::vector<std::string> connected;            ///< servers that this question started
  std::vector<std::string> not_indexed;          ///< servers whose tools are not known yet
  std::vector<fault> failures;                   ///< servers that it could not start
  std::vector<std::vector<std::string>> also_on; ///< of each tool, in order: other servers that have the same one
  search_fit fit = search_fit::good;
  auto fields() { return std::tie(tools, total, connected, not_indexed, failures, also_on, fit); }
};

} // namespace msg
