// The tools that the client sees: names, aliases, and what tools/list says. The list depends on nothing but the
// surface, the revision and which runtimes exist: never on servers, so that a client's prompt cache stays valid.
#pragma once

#include "mcp/revision.hpp"
#include "messages/limits.hpp"
#include "messages/run.hpp"

#include <boost/json/value.hpp>

#include <chrono>
#include <span>
#include <string>
#include <string_view>

namespace surface {

enum class tool_kind : uint8_t { run, search_tools, get_tool_signature, list_servers, health };

/// Whose result a run answers with.
enum class result_shape : uint8_t {
  standard,   ///< of Code Executor
  structured, ///< of execute_code
  bridge,     ///< of run_python
};

struct tool {
  std::string_view name;
  tool_kind kind;
  msg::language language; ///< of runs
  result_shape shape;     ///< of runs
};

/// With all aliases: each behind the name that is listed.
std::span<const tool> every_tool();
/// A tool by name or alias; null: there is none.
const tool* find_tool(std::string_view name);
/// The nearest names to a wrong one, for the error; may be empty.
std::string nearest_tool(std::string_view name);
/// The error of a call of a tool that there is not.
std::string unknown_tool_text(std::string_view name);

/// Which tools tools/list shows; every one can be called in any case.
enum class shown_tools : uint8_t { code, discovery, bridge, all };

/// What a client is sent of a result. Most show the model `structuredContent` instead of the text or beside it: what
/// was displayed, and our bounds, are lost there. So programs get the report in `_meta`, unless the user wants it
/// otherwise.
enum class result_form : uint8_t { text, structured };

/// How long a run may take, when nothing is asked for and at most.
struct run_times {
  std::chrono::milliseconds usual = msg::limits::run_timeout_default;
  std::chrono::milliseconds most = msg::limits::run_timeout_max;
};

struct available_runtimes {
  bool typescript = false;
  bool python = false;
};

/// What a list depends on.
struct list_view {
  shown_tools shown = shown_tools::code;
  result_form form = result_form::text;
  available_runtimes runtimes;
  mcp::revision revision = mcp::latest_revision;
  run_times bridge; ///< of run_python
};

/// The result of tools/list.
boost::json::value tool_list(const list_view& view);

} // namespace surface
