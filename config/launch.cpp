#include "config/launch.hpp"

#include "process/find_executable.hpp"

#include <array>
#include <filesystem>
#include <map>

namespace config {

namespace fs = std::filesystem;

namespace {

/// What every program may expect; the list of the MCP SDKs, with the two that locale and temporary files need.
constexpr std::array<std::string_view, 8> inherited{"HOME", "LANG", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "USER"};

std::string expand_one(std::string_view whole, std::string_view inside, const variable_lookup& variable) {
  auto otherwise = inside.find(":-");
  auto name = inside.substr(0, otherwise);
  auto value = variable(name);
  if (!value.empty())
    return value;
  return std::string{otherwise == inside.npos ? whole : inside.substr(otherwise + 2)};
}

} // namespace

std::string expand(std::string_view text, const variable_lookup& variable) {
  std::string out;
  for (;;) {
    auto begin = text.find("${");
    auto end = begin == text.npos ? begin : text.find('}', begin);
    if (end == text.npos)
      return out.append(text);
    out.append(text.substr(0, begin));
    out += expand_one(text.substr(begin, end + 1 - begin), text.substr(begin + 2, end - begin - 2), variable);
    text.remove_prefix(end + 1);
  }
}

bool starts_executable(const msg::server_entry& entry, const std::string& executable, const environment& env) {
  auto variables = [&, real = process_environment()](std::string_view name) { return name == "PATH" ? env.path : real(name); };
  auto launch = make_launch(entry, env, variables);
  std::error_code ec;
  return launch.ok() && fs::equivalent(launch.value.argv.front(), executable, ec);
}

msg::outcome<process::launch> make_launch(const msg::server_entry& entry, const environment& env, const variable_lookup& variable) {
  std::map<std::string, std::string> variables;
  for (auto name : inherited)
    if (auto value = variable(name); !value.empty())
      variables.emplace(name, value);
  for (auto& [name, value] : entry.env)
    variables[name] = expand(value, variable);
  process::launch out;
  out.cwd = expand(entry.cwd, variable);
  auto command = expand(entry.command, variable);
  auto path = variables.contains("PATH") ? variables["PATH"] : std::string{};
  auto executable = process::find_executable(command, path, (fs::path{env.cwd} / out.cwd).string());
  if (executable.empty())
    return msg::fault{msg::errc::server_start_failed, "command '" + command + "' was not found"
                                                        + (command.find('/') == command.npos ? " in PATH (" + path + ")" : "")
                                                        + "; check the entry in " + entry.source}
      .at(entry.name);
  out.argv.push_back(executable);
  for (auto& a : entry.args)
    out.argv.push_back(expand(a, variable));
  for (auto& [name, value] : variables)
    out.environment.push_back(std::string{name}.append("=").append(value));
  return out;
}

} // namespace config
