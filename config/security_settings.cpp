// What programs may do.
#include "config/settings_sections.hpp"

#include <algorithm>
#include <cctype>

namespace config {

using msg::errc;

namespace {

constexpr size_t host_bytes_max = 260; // 253 of a name, a wildcard, a port

bool all_of(std::string_view text, std::string_view others) {
  return std::all_of(text.begin(), text.end(), [&](char c) { return std::isalnum(static_cast<unsigned char>(c)) || others.find(c) != others.npos; });
}

bool is_host_pattern(std::string_view text) { return !text.empty() && text.size() <= host_bytes_max && all_of(text, ".-_*:[]"); }

/// A pattern of tool names.
bool is_pattern(std::string_view text) { return !text.empty() && text.size() <= msg::limits::pattern_bytes_max; }

/// ALLOWED_PROJECTS adds to what the file says.
void read_projects(settings_reader& reader, const environment& env, const std::string& projects, security_settings& to) {
  for (size_t begin = 0; begin < projects.size();) {
    auto end = std::min(projects.find(':', begin), projects.size());
    if (auto item = projects.substr(begin, end - begin); !item.empty())
      to.allow_read.push_back(reader.path_of({boost::json::string{item}, true, "ALLOWED_PROJECTS", "'" + item + "'", env.cwd}));
    begin = end + 1;
  }
}

void read_files(section s, settings_reader& reader, const environment& env, const std::string& projects, security_settings& to) {
  s.paths({"allowRead"}, to.allow_read);
  read_projects(reader, env, projects, to);
  bool all_of_read = false;
  if (s.is_flag("allowWrite"))
    s.flag({"allowWrite"}, all_of_read);
  else
    s.paths({"allowWrite"}, to.allow_write);
  if (all_of_read)
    to.allow_write = to.allow_read;
}

void read_hosts(section s, security_settings& to) {
  constexpr auto host = "a host name, an address or a pattern such as *.example.com, without scheme and path";
  if (s.is_flag("allowNetwork"))
    s.flag({"allowNetwork"}, to.allow_any_host);
  else
    s.texts({"allowNetwork"}, is_host_pattern, host, to.allow_hosts);
  s.texts({"allowedDomains"}, is_host_pattern, host, to.allow_hosts);
}

void read_tools(section s, msg::name_policy& to) {
  constexpr auto pattern = "a pattern of tool names such as mcp__server__*, of at most 512 bytes";
  to.everything = !s.has("allowedTools");
  s.texts({"allowedTools"}, is_pattern, pattern, to.allowed);
  s.texts({"deniedTools"}, is_pattern, pattern, to.denied);
}

void read_patterns(section s, settings_reader& reader, pattern_policy& to) {
  s.one_of<pattern_policy>({"dangerousPatterns"}, {{"block", pattern_policy::block}, {"warn", pattern_policy::warn}, {"off", pattern_policy::off}},
                           to);
  bool skip = false;
  s.flag({"skipDangerousPatternCheck"}, skip);
  if (skip && to != pattern_policy::off && s.has("dangerousPatterns"))
    reader.complain({errc::invalid_argument, reader.at("security.skipDangerousPatternCheck")
                                               + " must not be true where 'security.dangerousPatterns' is not off; remove one of the two"});
  s.flag({nullptr, "CODE_EXECUTOR_SKIP_DANGEROUS_PATTERNS"}, skip);
  if (skip)
    to = pattern_policy::off;
}

} // namespace

void read_security(section s, settings_reader& reader, const environment& env, const variable_lookup& variable, security_settings& to) {
  read_files(s, reader, env, variable("ALLOWED_PROJECTS"), to);
  read_hosts(s, to);
  read_tools(s, to.tools);
  read_patterns(s, reader, to.patterns);
  s.one_of<pin_policy>({"pinTools"}, {{"off", pin_policy::off}, {"warn", pin_policy::warn}, {"block", pin_policy::block}}, to.pins);
}

} // namespace config
