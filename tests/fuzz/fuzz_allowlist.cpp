// The matcher agrees with its definition; a tool that is allowed is one of a server that may be started.
#include "proxy/allowlist.hpp"
#include "proxy/names.hpp"
#include "testing/fuzz.hpp"
#include "tests/unit/support/naive_match.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto rest = fuzz::text_of(data, size);
  auto pattern = fuzz::piece(rest, '\n'), server = fuzz::piece(rest, '\n'), tool = rest;
  auto name = proxy::full_name(server, tool);
  auto matched = proxy::matches(pattern, name);
  if (pattern.size() <= 12 && name.size() <= 24)
    fuzz::require(matched == test::naive_match(pattern, name), "the matcher is wrong");
  msg::tool_filter filter;
  filter.everything = false;
  filter.patterns.emplace_back(pattern);
  const proxy::server_names all{std::string{server}, std::string{server} + "__x", "x"};
  auto allowed = proxy::allows(filter, server, tool, all);
  fuzz::require(proxy::allowlist{filter, all}.allows(server, tool) == allowed,
                "one question is answered otherwise than many");
  fuzz::require(matched || !allowed, "a tool is allowed whose name does not match");
  if (allowed && !tool.empty())
    fuzz::require(proxy::allows_some(filter, server, all), "a tool is allowed of a server that may not be started");
  if (auto named = proxy::server_in(pattern, all); allowed && named)
    fuzz::require(*named == server, "a pattern that names a server allows tools of another one");
  return 0;
}
