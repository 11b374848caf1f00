// The matcher agrees with its definition; a tool that is allowed is one of a server that may be started.
#include "proxy/allowlist.hpp"
#include "proxy/names.hpp"
#include "tests/fuzz/input.hpp"

namespace {

bool naive(std::string_view pattern, std::string_view name) {
  if (pattern.empty())
    return name.empty();
  if (pattern[0] == '*')
    return naive(pattern.substr(1), name) || (!name.empty() && naive(pattern, name.substr(1)));
  return !name.empty() && pattern[0] == name[0] && naive(pattern.substr(1), name.substr(1));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto rest = fuzz::text_of(data, size);
  auto pattern = fuzz::piece(rest, '\n'), server = fuzz::piece(rest, '\n'), tool = rest;
  auto name = proxy::full_name(server, tool);
  auto matched = proxy::matches(pattern, name);
  if (pattern.size() <= 12 && name.size() <= 24)
    fuzz::require(matched == naive(pattern, name), "the matcher is wrong");
  msg::tool_filter filter;
  filter.everything = false;
  filter.patterns.emplace_back(pattern);
  const proxy::server_names all{std::string{server}, std::string{server} + "__x", "x"};
  auto allowed = proxy::allows(filter, server, tool, all);
  fuzz::require(matched || !allowed, "a tool is allowed whose name does not match");
  if (allowed && !tool.empty())
    fuzz::require(proxy::allows_some(filter, server, all), "a tool is allowed of a server that may not be started");
  if (auto named = proxy::server_in(pattern, all); allowed && named)
    fuzz::require(*named == server, "a pattern that names a server allows tools of another one");
  return 0;
}
