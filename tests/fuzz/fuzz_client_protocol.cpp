// A server that says anything, line by line: every call is answered at most once, and what we send is JSON.
#include "mcp/client_protocol.hpp"
#include "testing/fuzz.hpp"

#include <map>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::map<uint64_t, int> answers;
  uint64_t listed = 0;
  mcp::client_callbacks c;
  c.send = [](msg::spliced_text text, int64_t, const mcp::request_labels&) {
    fuzz::require(msg::document::parse(text.text()).ok(), "sent what is no JSON");
    return true;
  };
  c.listed = [&](auto) { ++listed; };
  c.answered = [&](msg::call_key key, auto) { fuzz::require(++answers[key.call] == 1, "a call was answered twice"); };
  c.progressed = [](auto) {};
  c.tools_changed = [] {};
  c.logged = [](std::string_view, std::string) {};
  mcp::client_protocol p{"srv", std::move(c)};
  auto rest = fuzz::text_of(data, size);
  bool is_known = rest.starts_with('i'); // else both eras are possible
  p.say_headers();
  p.start(is_known ? mcp::opening::initialize : mcp::opening::discover);
  uint64_t calls = 0;
  for (rest.remove_prefix(is_known ? 1 : 0); !rest.empty();) {
    auto line = fuzz::piece(rest, '\n');
    if (line.starts_with('!')) { // not of the server: what we do
      if (line == "!list")
        p.list_tools();
      else if (line == "!wait")
        p.stop_waiting_for_discovery();
      else if (line == "!listen")
        p.listen_again();
      else if (line == "!cancel")
        p.calls().cancel({1, calls}, "x"), answers[calls] = 1;
      else
        p.calls().call({{1, ++calls}, "srv", "tool", msg::document{}, true});
      continue;
    }
    auto parsed = msg::document::parse(line);
    if (parsed.ok())
      p.receive(parsed.value);
    else
      p.fail_broken(line, parsed.error.message);
  }
  p.fail_all(msg::fault{msg::errc::server_died, "end"});
  fuzz::require(p.calls().size() == 0, "a call is left");
  for (uint64_t i = 1; i <= calls; ++i)
    fuzz::require(answers[i] == 1, "a call was never answered");
  fuzz::require(!p.listing(), "a listing is left");
  return 0;
}
