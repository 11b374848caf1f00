#include "cli/servers.hpp"

#include "cli/live_servers.hpp"
#include "cli/print_document.hpp"
#include "cli/probe.hpp"
#include "config/http_launch.hpp"
#include "config/server_list.hpp"
#include "login/account_file.hpp"
#include "process/find_executable.hpp"
#include "sqlite/file.hpp"
#include "text/printable.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

namespace cli {

namespace json = boost::json;

namespace {

/// What is said of each server, beside what stands in its entry.
struct server_look {
  const config::environment& environment;
  const config::settings& settings;
  const config::variable_lookup& variables;
  std::vector<live_process> running;
};

/// The server in the processes that have started it.
json::array live_docs(const msg::server_entry& e, const server_look& look) {
  json::array out;
  for (auto& process : look.running)
    for (auto& server : process.servers)
      if (server.name == e.name) {
        json::object of{{"pid", process.pid},
                        {"state", to_string(server.state)},
                        {"tools", server.tool_count},
                        {"callsInFlight", server.calls_in_flight},
                        {"starts", server.starts}};
        if (!server.last_error.empty())
          of["lastError"] = server.last_error;
        out.push_back(std::move(of));
      }
  return out;
}

std::string counted(int64_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::string live_line(const json::object& of) {
  auto number = [&](const char* key) { return of.at(key).to_number<int64_t>(); };
  auto out = std::string{of.at("state").as_string()} + " in process " + std::to_string(number("pid")) + ": "
             + counted(number("tools"), "tool") + ", " + counted(number("starts"), "start");
  if (auto calls = number("callsInFlight"); calls > 0)
    out += ", " + counted(calls, "call") + " in flight";
  if (auto* error = of.if_contains("lastError"))
    out += "; last error: " + std::string{error->as_string()};
  return out;
}

bool needs_login(const msg::server_entry& e, const server_look& look) {
  if (e.transport == msg::transport_kind::stdio || !msg::is_trusted(e) || look.settings.state_folder.empty())
    return false;
  auto launch = config::make_http_launch(e, look.environment, look.variables);
  return launch.ok() && config::takes_login(launch.value)
         && login::is_login_wanted(look.settings.state_folder, e.name, launch.value.url);
}

const char* status_of(const msg::server_entry& e, const server_look& look) {
  if (!msg::is_trusted(e))
    return to_string(e.trust == msg::trust_level::rejected ? msg::server_state::rejected
                                                           : msg::server_state::unapproved);
  if (needs_login(e, look))
    return to_string(msg::server_state::needs_login);
  return !e.unusable.empty() ? "unusable" : e.disabled ? "disabled" : "available";
}

json::array strings(const std::vector<std::string>& texts) { return json::array(texts.begin(), texts.end()); }

json::object server_doc(const msg::server_entry& e, const server_look& look) {
  json::object doc{{"name", e.name}, {"status", status_of(e, look)}, {"client", e.client}, {"file", e.source}};
  if (!e.unusable.empty())
    doc["reason"] = e.unusable;
  if (!msg::is_trusted(e))
    doc["approve"] = msg::command_to_trust(e.name);
  if (e.disabled)
    doc["disabled"] = true;
  if (e.eager)
    doc["eager"] = true;
  if (!e.shadows.empty())
    doc["shadows"] = strings(e.shadows);
  if (auto live = live_docs(e, look); !live.empty())
    doc["live"] = std::move(live);
  return doc;
}

std::vector<std::string> searched(const config::environment& env) {
  std::vector<std::string> out;
  for (auto& s : config::server_sources(env))
    if (std::find(out.begin(), out.end(), s.path) == out.end())
      out.push_back(s.path);
  return out;
}

void print_json(const server_look& look, const config::server_list& list) {
  json::array servers;
  for (auto& e : list.entries)
    servers.push_back(server_doc(e, look));
  json::array hidden;
  for (auto& e : list.hidden)
    hidden.push_back(server_doc(e, look));
  json::object doc{{"servers", std::move(servers)},
                   {"hidden", std::move(hidden)},
                   {"files", strings(list.files)},
                   {"problems", strings(list.problems)}};
  doc["searched"] = strings(searched(look.environment));
  json::array running;
  for (auto& process : look.running)
    running.push_back(json::object{
      {"pid", process.pid}, {"since", sqlite::iso_time(sqlite::time_point{std::chrono::seconds{process.since_s}})}});
  doc["running"] = std::move(running);
  print_document(doc);
}

void print_server(const msg::server_entry& e, const server_look& look, size_t width) {
  constexpr size_t status_width = 16;
  auto name = text::printable(e.name);
  std::string status = status_of(e, look);
  std::cout << name << std::string(width - std::min(width, name.size()) + 2, ' ') << status
            << std::string(status_width - status.size(), ' ') << text::printable(e.client) << ", "
            << text::printable(e.source) << "\n";
  auto detail = [](const std::string& text) { std::cout << "    " << text::printable(text) << "\n"; };
  if (auto why = msg::refusal_to_start(e); why.code != msg::errc::none)
    detail(why.message);
  if (status == to_string(msg::server_state::needs_login))
    detail("it wants to know who asks: " + msg::command_to_login(e.name));
  if (!e.unusable.empty())
    detail("can not be used: " + e.unusable);
  else if (e.disabled)
    detail("disabled there; started when it is needed, like the others");
  for (auto& file : e.shadows)
    detail("hides the entry in " + file);
  for (auto& live : live_docs(e, look))
    detail(live_line(live.get_object()));
}

void print_text(const server_look& look, const config::server_list& list) {
  constexpr size_t width_max = 30;
  size_t width = 0;
  for (auto& e : list.entries)
    width = std::max(width, std::min(e.name.size(), width_max));
  for (auto& e : list.entries)
    print_server(e, look, width);
  for (auto& e : list.hidden)
    print_server(e, look, width);
  if (list.files.empty()) {
    std::cout << "no file that may list servers was found; looked at\n";
    for (auto& path : searched(look.environment))
      std::cout << "    " << text::printable(path) << "\n";
  } else {
    std::cout << (list.entries.empty() ? "" : "\n") << list.entries.size()
              << (list.entries.size() == 1 ? " server in " : " servers in ") << list.files.size()
              << (list.files.size() == 1 ? " file" : " files") << "\n";
  }
  if (!look.running.empty())
    std::cout << look.running.size() << (look.running.size() == 1 ? " process serves" : " processes serve")
              << " just now\n";
  for (auto& problem : list.problems)
    std::cout << "problem: " << text::printable(problem) << "\n";
}

} // namespace

int list_servers(const config::environment& environment, const config::settings& settings,
                 const config::variable_lookup& variables, output_form form) {
  auto list = find_servers(environment, settings.state_folder);
  server_look look{environment, settings, variables, ask_live_processes(settings.state_folder)};
  if (form == output_form::json)
    print_json(look, list);
  else
    print_text(look, list);
  return EXIT_SUCCESS;
}

} // namespace cli
