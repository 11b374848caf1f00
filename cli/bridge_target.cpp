#include "cli/bridge_target.hpp"

#include "cli/probe.hpp"
#include "text/nearest.hpp"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>

namespace cli {

using msg::errc;
using msg::fault;

namespace {

fault wrong(std::string what) { return {errc::invalid_argument, std::move(what)}; }

bool is_url(std::string_view text) { return text.starts_with("http://") || text.starts_with("https://"); }

msg::server_entry typed_entry(std::string name) {
  msg::server_entry out;
  out.name = std::move(name);
  out.syntax = msg::variable_syntax::none; // a shell has expanded it
  out.source = "the command line";
  return out;
}

msg::outcome<msg::server_entry> of_command(const bridge_target& wanted) {
  auto out = typed_entry(std::filesystem::path{wanted.command.front()}.filename());
  out.command = wanted.command.front();
  out.args.assign(wanted.command.begin() + 1, wanted.command.end());
  for (auto& variable : wanted.variables) {
    auto equals = variable.find('=');
    if (equals == 0 || variable.empty())
      return wrong("--env: '" + variable + "' has no name; write NAME=VALUE, or NAME");
    if (equals == std::string::npos)
      out.env_names.push_back(variable);
    else
      out.env.emplace_back(variable.substr(0, equals), variable.substr(equals + 1));
  }
  return out;
}

msg::outcome<msg::server_entry> of_name(const std::string& name, const config::environment& environment,
                                        const config::settings& settings) {
  auto list = find_servers(environment, settings.state_folder);
  auto entry = std::find_if(list.entries.begin(), list.entries.end(), [&](auto& each) { return each.name == name; });
  if (entry == list.entries.end()) {
    std::vector<std::string_view> names;
    names.reserve(list.entries.size());
    for (auto& each : list.entries)
      names.push_back(each.name);
    auto near = text::nearest(name, names, 1);
    return wrong("there is no server '" + name + "'"
                 + (near.empty() ? "; `code-executor servers` lists those there are, and a command is written after --"
                                 : "; did you mean '" + near.front() + "'?"));
  }
  if (auto why = msg::refusal_to_start(*entry); why.code != errc::none)
    return why;
  if (!entry->unusable.empty())
    return wrong("server '" + name + "' can not be used: " + entry->unusable + " (the entry is in " + entry->source
                 + ")");
  return *entry;
}

} // namespace

msg::outcome<msg::server_entry> find_bridge_target(const bridge_target& wanted, const config::environment& environment,
                                                   const config::settings& settings) {
  if (wanted.name.empty() == wanted.command.empty())
    return wrong(wanted.name.empty()
                   ? "bridge: to which server? `bridge NAME`, `bridge URL`, or `bridge -- COMMAND ARGS`"
                   : "bridge: '" + wanted.name + "' and a command after --: one of the two");
  if (!wanted.variables.empty() && wanted.command.empty())
    return wrong("--env is for a command after --; a configured server has its variables in its entry");
  if (!wanted.command.empty())
    return of_command(wanted);
  if (!is_url(wanted.name))
    return of_name(wanted.name, environment, settings);
  auto host = std::string_view{wanted.name}.substr(wanted.name.find("://") + 3);
  if (host.empty() || host.front() == '/' || host.front() == ':')
    return wrong("'" + wanted.name + "' names no host; an address is http://HOST/PATH or https://HOST/PATH");
  auto out = typed_entry(wanted.name);
  out.url = wanted.name;
  out.transport = msg::transport_kind::automatic;
  return out;
}

} // namespace cli
