// What programs may do.
#include "config/settings_parts.hpp"

#include "config/characters.hpp"

#include <algorithm>
#include <cctype>

namespace config {

using msg::errc;

namespace {

constexpr size_t host_pattern_bytes_max = 260; // 253 of a name, a wildcard, a port

bool is_host_pattern(std::string_view text) {
  return !text.empty() && text.size() <= host_pattern_bytes_max && consists_of_letters_digits_and(".-_*:[]", text);
}

/// A pattern of tool names.
bool is_short_pattern(std::string_view text) { return !text.empty() && text.size() <= msg::limits::pattern_bytes_max; }

/// One that can match a name at all: what matches none would protect nothing, and say nothing.
bool is_pattern_of_names(std::string_view text) {
  constexpr std::string_view prefix = "mcp__";
  auto star = text.find('*');
  auto fixed = text.substr(0, star);
  return is_short_pattern(text) && (fixed.starts_with(prefix) || (star != text.npos && prefix.starts_with(fixed)));
}

void read_files(section s, security_settings& to) {
  s.paths({"allowRead", "files and folders that a program may ask to read; the variable adds to it, separated by ':'",
           "ALLOWED_PROJECTS"},
          to.allow_read);
  bool all_of_read = false;
  s.flag_or_paths({"allowWrite", "the same for writing: a list, or true for all of allowRead"}, all_of_read,
                  to.allow_write);
  if (all_of_read)
    to.allow_write = to.allow_read;
}

void read_hosts(section s, security_settings& to) {
  constexpr auto host = "a host name, an address or a pattern such as *.example.com, without scheme and path";
  s.flag_or_texts({"allowNetwork", "hosts that a program may ask for: a list, or true for all public ones"},
                  is_host_pattern, host, to.allow_any_host, to.allow_hosts);
  s.texts({"allowedDomains", "more of them"}, is_host_pattern, host, to.allow_hosts);
}

void read_tools(section s, msg::name_policy& to) {
  constexpr auto pattern = "a pattern of tool names such as mcp__server__*, of at most 512 bytes";
  static_assert(msg::limits::pattern_bytes_max == 512);
  to.everything = !s.has("allowedTools");
  s.texts({"allowedTools", "patterns of the tools that programs may call; all if it is not given"}, is_short_pattern,
          pattern, to.allowed);
  if (to.everything)
    s.in_effect("allowedTools", nullptr);
  s.texts({"deniedTools", "patterns of the tools that they may not, whatever allows them"}, is_short_pattern, pattern,
          to.denied);
  s.texts({"confirm", "patterns of the tools that they may call when the user has agreed, who is asked then"},
          is_pattern_of_names, pattern, to.confirmed);
}

void read_patterns(section s, pattern_policy& to) {
  s.one_of<pattern_policy>(
    {"dangerousPatterns", "programs that hold one are refused, warned, or not looked at"},
    {{"block", pattern_policy::block}, {"warn", pattern_policy::warn}, {"off", pattern_policy::off}}, to);
  bool skip = false;
  constexpr auto key = "skipDangerousPatternCheck", variable = "CODE_EXECUTOR_SKIP_DANGEROUS_PATTERNS";
  s.flag({key, "true: the same as dangerousPatterns \"off\"", variable}, skip);
  if (!skip)
    return;
  auto from = s.origin(key);
  if (from != variable && s.has("dangerousPatterns") && to != pattern_policy::off)
    s.complain(errc::invalid_argument,
               s.at(key) + " must not be true where 'security.dangerousPatterns' is not off; remove one of the two");
  to = pattern_policy::off;
  s.in_effect("dangerousPatterns", "off", from);
}

} // namespace

void read_security(section s, security_settings& to) {
  read_files(s, to);
  read_hosts(s, to);
  read_tools(s, to.tools);
  read_patterns(s, to.patterns);
  s.one_of<pin_policy>(
    {"pinTools", "tools that changed since they were approved: not looked at, reported, or held back"},
    {{"off", pin_policy::off}, {"warn", pin_policy::warn}, {"block", pin_policy::block}}, to.pins);
}

} // namespace config
