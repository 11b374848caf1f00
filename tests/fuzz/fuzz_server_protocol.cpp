// A client that says anything, line by line: what we send is JSON, and nothing stays in flight once all is answered.
#include "mcp/server_protocol.hpp"
#include "testing/fuzz.hpp"

#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::vector<mcp::request_number> open;
  mcp::server_callbacks c;
  c.send = [](mcp::outgoing sent) {
    fuzz::require(msg::document::parse(sent.text.text()).ok(), "sent what is no JSON");
  };
  c.list_tools = [](mcp::revision) { return msg::document{}; };
  c.call_tool = [&](mcp::tool_request r) { open.push_back(r.number); };
  c.list_resources = [&](mcp::request_number n) { open.push_back(n); };
  c.read_resource = [&](mcp::request_number n, std::string) { open.push_back(n); };
  c.list_resource_templates = [] { return msg::document{}; };
  c.cancelled = [](mcp::request_number) {};
  mcp::server_protocol p{{"n", "v", {}}, std::move(c)};
  for (auto rest = fuzz::text_of(data, size); !rest.empty();) {
    auto line = fuzz::piece(rest, '\n');
    if (line == "!answer" && !open.empty()) {
      p.progress(open.back(), 1, "m");
      p.respond(open.back(), msg::document{});
      open.pop_back();
      continue;
    }
    if (auto parsed = msg::document::parse(line); parsed.ok())
      p.receive(parsed.value);
    else
      p.reject(mcp::rpc_error::parse_error, parsed.error.message);
  }
  for (auto number : open)
    p.respond_error(number, {mcp::rpc_error::internal_error, "end", {}});
  fuzz::require(p.in_flight() == 0, "a request is left");
  return 0;
}
