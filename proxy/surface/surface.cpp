#include "proxy/surface/surface.hpp"

#include "proxy/names.hpp"
#include "text/utf8.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>

#include <array>
#include <vector>

namespace surface {

namespace json = boost::json;
using msg::language;

namespace {

constexpr std::array<tool, 10> all_tools{{
  {"run-typescript-code", tool_kind::run, language::typescript, result_shape::standard},
  {"executeTypescript", tool_kind::run, language::typescript, result_shape::standard},
  {"run-python-code", tool_kind::run, language::python, result_shape::standard},
  {"executePython", tool_kind::run, language::python, result_shape::standard},
  {"execute_code", tool_kind::run, language::typescript, result_shape::structured},
  {"run_python", tool_kind::run, language::python, result_shape::bridge},
  {"search_tools", tool_kind::search_tools, {}, {}},
  {"get_tool_signature", tool_kind::get_tool_signature, {}, {}},
  {"list_servers", tool_kind::list_servers, {}, {}},
  {"health", tool_kind::health, {}, {}},
}};

// Every word below is paid for by every user in every conversation: the budget is 500 tokens for the default surface.
// So no annotations where they would only say what is the default (an open world, not read-only). Other parameters are
// not forbidden, though an unknown one is refused: some clients refuse by themselves what is not listed, and some of
// what we take is not.

constexpr const char* run_typescript_definition = R"({
"name":"run-typescript-code",
"description":"Runs TypeScript in a sandbox (no files, no network) that can call the user's MCP tools.\nawait listServers(); await searchTools('what to do', {server?}) -> [{name, description, parameters}]\nawait callMCPTool('mcp__server__tool', {...}) or mcp.server.tool({...}) -> the tool's data; throws MCPError\nOnly console.log output, the returned value and display(image | value) reach you: filter in code; Promise.all works.",
"inputSchema":{"type":"object","properties":{
"code":{"type":"string"},
"timeoutMs":{"type":"integer","minimum":1000,"maximum":300000,"default":30000},
"allowedTools":{"type":"array","items":{"type":"string"},"description":"mcp__github__*"},
"permissions":{"type":"object","description":"{read, write: paths[], net: hosts[]}"},
"session":{"type":"string","description":"keeps variables"},
"resetSession":{"type":"boolean"},
"enableSampling":{"type":"boolean","description":"for llm.ask(prompt)."}},
"required":["code"]}})";

constexpr const char* run_python_definition = R"({
"name":"run-python-code",
"description":"Runs Python in a sandbox (stdlib; no files, no network) that can call the user's MCP tools.\nlist_servers(); search_tools('what to do', server=None); call_mcp_tool('mcp__server__tool', {...}) or mcp.server.tool(key=value) -> dict, list or str; raises MCPError\nAwaiting is optional; asyncio.gather works. Only printed output, the last expression and display(figure | value) reach you.",
"inputSchema":{"type":"object","properties":{
"code":{"type":"string"},
"timeoutMs":{"type":"integer"},
"allowedTools":{"type":"array","items":{"type":"string"}},
"permissions":{"type":"object"},
"session":{"type":"string"},
"resetSession":{"type":"boolean"},
"enableSampling":{"type":"boolean"}},
"required":["code"]}})";

/// Behind the descriptions, where models read the result: with `structured` the budget has no room for it.
constexpr const char* typescript_questions =
  "\naskUser('question', schema?) -> {action, content}; approve(['mcp__server__tool x 12']) before a loop of writes.";
constexpr const char* python_questions = "\nask_user('question', schema=None); approve([...]).";

/// Result shape A. `result` is any value; the types of what is told of calls and sampling are not listed, and
/// `truncated` and `session` not at all, for the budget's sake. So the other parameters of sampling are accepted and
/// not listed, as `typeCheck` and `format` are.
constexpr const char* run_output_schema = R"({"type":"object","properties":{
"success":{"type":"boolean"},"output":{"type":"string"},"result":{},"error":{"type":"string"},
"executionTimeMs":{"type":"number"},"toolCallsMade":{},"toolCallSummary":{},
"samplingCalls":{},"samplingMetrics":{}},
"required":["success","output","executionTimeMs"]})";

constexpr const char* execute_code_definition = R"({
"name":"execute_code",
"description":"Runs TypeScript or JavaScript in a fresh sandbox. await callMCPTool(server, tool, params) calls any tool of the user's MCP servers; listServers(), getToolSchema(server, tool), searchTools(query). Return a value or console.log it.",
"inputSchema":{"type":"object","properties":{"code":{"type":"string"},"timeout_ms":{"type":"integer","minimum":1000,"maximum":300000,"default":30000},"format":{"enum":["json","toon"]}},"required":["code"]},
"annotations":{"openWorldHint":true}})";

constexpr const char* search_tools_definition = R"({
"name":"search_tools",
"description":"Searches the tools of all MCP servers; naming a server starts it if need be.",
"inputSchema":{"type":"object","properties":{"query":{"type":"string"},"server":{"type":"string"},"detail":{"type":"string","enum":["minimal","standard","full"]},"limit":{"type":"integer","minimum":1,"maximum":100}},"required":["query"]},
"annotations":{"readOnlyHint":true}})";

constexpr const char* get_tool_signature_definition = R"({
"name":"get_tool_signature",
"description":"TypeScript signature and schema of one tool.",
"inputSchema":{"type":"object","properties":{"server":{"type":"string"},"tool":{"type":"string"}},"required":["server","tool"]},
"annotations":{"readOnlyHint":true}})";

constexpr const char* list_servers_definition = R"({
"name":"list_servers",
"description":"All configured MCP servers: connected ones and those that start on demand.",
"inputSchema":{"type":"object","properties":{}},
"annotations":{"readOnlyHint":true}})";

constexpr const char* run_python_bridge_definition = R"({
"name":"run_python",
"description":"Runs Python in a sandbox. await mcp_<server>.<tool>(arg=value) calls tools of MCP servers; list_servers(), search_tools('query'), get_tool_schema(name) discover them; print results.",
"inputSchema":{"type":"object","properties":{"code":{"type":"string"},"servers":{"type":"array","items":{"type":"string"}},"timeout":{"type":"integer","minimum":1},"format":{"enum":["json","toon"]}},"required":["code"]}})";

constexpr const char* health_definition = R"({
"name":"health",
"description":"State of the runtimes, the MCP servers, the runs and the configuration.",
"inputSchema":{"type":"object","properties":{}},
"annotations":{"readOnlyHint":true}})";

constexpr const char* health_output_schema = R"({"type":"object","properties":{
"healthy":{"type":"boolean"},"version":{"type":"string"},"uptime":{"type":"number"},"timestamp":{"type":"string"},
"problems":{"type":"array","items":{"type":"string"}},"auditLog":{"type":"object"},"mcpClients":{"type":"object"},
"connectionPool":{"type":"object"},"runtimes":{"type":"object"},"isolation":{"type":"object"},"pools":{"type":"array"},
"sessions":{"type":"array"},"servers":{"type":"object"},"configuration":{"type":"object"},"process":{"type":"object"},
"disk":{"type":"object"}},
"required":["healthy","version","uptime","timestamp","problems","auditLog","connectionPool","runtimes","servers","disk"]})";

struct shown_tool {
  const char* definition;
  bool typescript; ///< needs that runtime
  bool python;
  const char* output_schema; ///< null: none
  const char* questions = nullptr;
};

constexpr shown_tool shown_run_typescript{run_typescript_definition, true, false, run_output_schema,
                                          typescript_questions};
constexpr shown_tool shown_run_python{run_python_definition, false, true, run_output_schema, python_questions};
constexpr shown_tool shown_execute_code{execute_code_definition, true, false, nullptr};
constexpr shown_tool shown_search{search_tools_definition, false, false, nullptr};
constexpr shown_tool shown_signature{get_tool_signature_definition, false, false, nullptr};
constexpr shown_tool shown_servers{list_servers_definition, false, false, nullptr};
constexpr shown_tool shown_bridge{run_python_bridge_definition, false, true, nullptr};
constexpr shown_tool shown_health{health_definition, false, false, health_output_schema};

/// In seconds.
void add_times(json::object& definition, run_times times) {
  auto& timeout = definition["inputSchema"].as_object()["properties"].as_object()["timeout"].as_object();
  timeout["maximum"] = std::chrono::floor<std::chrono::seconds>(times.most).count();
  timeout["default"] = std::chrono::ceil<std::chrono::seconds>(times.usual).count();
}

std::vector<shown_tool> tools_of(shown_tools s) {
  switch (s) {
    case shown_tools::code: return {shown_run_typescript, shown_run_python};
    case shown_tools::discovery:
      return {shown_run_typescript, shown_run_python, shown_search, shown_signature, shown_servers};
    case shown_tools::bridge: return {shown_bridge};
    case shown_tools::all: break;
  }
  return {shown_run_typescript, shown_run_python, shown_execute_code, shown_search,
          shown_signature,      shown_servers,    shown_bridge,       shown_health};
}

} // namespace

std::span<const tool> every_tool() { return all_tools; }

const tool* find_tool(std::string_view name) {
  for (auto& t : all_tools)
    if (t.name == name)
      return &t;
  return nullptr;
}

std::string nearest_tool(std::string_view name) {
  std::vector<std::string_view> names;
  names.reserve(all_tools.size());
  for (auto& t : all_tools)
    names.push_back(t.name);
  auto near = proxy::nearest(name, names, 1);
  return near.empty() ? std::string{} : near.front();
}

std::string unknown_tool_text(std::string_view name) {
  auto near = nearest_tool(name);
  return "Unknown tool: " + text::quoted(name, msg::limits::pattern_bytes_max)
         + (near.empty() ? "" : "; did you mean '" + near + "'?");
}

json::value tool_list(const list_view& view) {
  json::array list;
  for (auto& t : tools_of(view.shown)) {
    if ((t.typescript && !view.runtimes.typescript) || (t.python && !view.runtimes.python))
      continue;
    auto definition = json::parse(t.definition).as_object();
    if (t.output_schema && view.form == result_form::structured && mcp::has_structured_content(view.revision))
      definition["outputSchema"] = json::parse(t.output_schema);
    if (t.questions && view.form == result_form::text)
      definition["description"].as_string().append(t.questions);
    if (t.definition == run_python_bridge_definition)
      add_times(definition, view.bridge);
    if ((t.typescript || t.python)
        && mcp::has_structured_content(
          view.revision)) // clients that defer tools find us when a model looks for what servers behind us can do
      definition["_meta"] = {{"anthropic/alwaysLoad", true}};
    if (!mcp::has_tool_annotations(view.revision))
      definition.erase("annotations");
    list.push_back(std::move(definition));
  }
  return json::object{{"tools", std::move(list)}};
}

} // namespace surface
