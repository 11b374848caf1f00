#include "cli/trust.hpp"

#include "catalog/entry_digest.hpp"
#include "catalog/pinning/approvals.hpp"
#include "catalog/pinning/definition.hpp"
#include "catalog/store.hpp"
#include "cli/complain.hpp"
#include "cli/confirm.hpp"
#include "cli/exit_codes.hpp"
#include "cli/print_document.hpp"
#include "cli/probe.hpp"
#include "process/find_executable.hpp"
#include "text/nearest.hpp"
#include "text/printable.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <iterator>
#include <string_view>

namespace cli {

namespace json = boost::json;
using msg::errc;
using msg::fault;

namespace {

std::string did_you_mean(const std::string& name, const std::vector<std::string_view>& names) {
  auto near = text::nearest(name, names, 1);
  return near.empty() ? std::string{} : "; did you mean '" + near.front() + "'?";
}

/// As a server of ours has read it last.
msg::outcome<msg::tool_list> list_of(const msg::server_entry& entry, const std::string& folder) {
  msg::tool_list tools;
  catalog::store store{folder};
  auto problem = store.read(catalog::digest_of(entry), [&](auto name, auto description, auto definition) {
    tools.push_back({entry.name, std::string{name}, std::string{description}, msg::document::parse(definition).value});
  });
  if (problem.code != errc::none)
    return problem;
  if (tools.empty())
    return fault{errc::unknown_tool, "no tools of '" + entry.name + "' are known; `code-executor index` reads them"};
  return tools;
}

/// Empty: all are there.
std::string unknown_tool(const std::vector<std::string>& wanted, const msg::tool_list& tools) {
  std::vector<std::string_view> names;
  names.reserve(tools.size());
  for (auto& t : tools)
    names.push_back(t.name);
  for (auto& name : wanted)
    if (std::find(names.begin(), names.end(), name) == names.end())
      return "the server has no tool '" + name + "'" + did_you_mean(name, names);
  return {};
}

std::string text_of(const tool_pinning::definitions& texts, const std::string& tool) {
  auto at = texts.find(tool);
  return at == texts.end() ? std::string{} : at->second;
}

/// One tool that is not what was approved.
struct difference {
  std::string tool;
  std::string what;
  std::string approved; ///< canonical texts; empty: it was not
  std::string now;
};

/// What was read, once: it is what is shown, and what is approved.
struct review {
  const msg::server_entry& entry;
  msg::tool_list tools; ///< those that are meant
  std::vector<difference> found;
};

enum class verdict : uint8_t { shown, approved };

std::vector<difference> differences(const tool_pinning::definitions& approved, const msg::tool_list& tools) {
  std::vector<difference> out;
  auto changes = tool_pinning::compare(approved, tools);
  for (auto& t : tools)
    if (auto change = changes.find(t.name); change != changes.end())
      out.push_back({t.name, approved.empty() ? "it was not approved yet" : change->second, text_of(approved, t.name),
                     tool_pinning::canonical(t)});
  return out;
}

/// Those that differ, and were shown.
msg::tool_list to_approve(const review& of) {
  msg::tool_list out;
  std::copy_if(of.tools.begin(), of.tools.end(), std::back_inserter(out), [&](auto& t) {
    return std::any_of(of.found.begin(), of.found.end(), [&](auto& d) { return d.tool == t.name; });
  });
  return out;
}

// ---- for people --------------------------------------------------------------------------------

/// What the two begin and end with alike is left out.
void print_difference(const difference& d, const std::string& server) {
  auto name = tool_pinning::readable(msg::document{json::value(json::object{{"title", d.tool}})}.text())
                .front()
                .substr(std::string_view{"title: "}.size());
  std::cout << text::printable(server) << ": " << name << ": " << d.what << "\n";
  auto before = d.approved.empty() ? std::vector<std::string>{} : tool_pinning::readable(d.approved),
       after = tool_pinning::readable(d.now);
  auto [b, a] = std::mismatch(before.begin(), before.end(), after.begin(), after.end());
  auto b_end = before.end();
  auto a_end = after.end();
  while (b_end != b && a_end != a && *std::prev(b_end) == *std::prev(a_end)) {
    --b_end;
    --a_end;
  }
  for (; b != b_end; ++b)
    std::cout << "  - " << *b << "\n";
  for (; a != a_end; ++a)
    std::cout << "  + " << *a << "\n";
}

std::string all_tools(const review& of) {
  return std::to_string(of.tools.size()) + (of.tools.size() == 1 ? " tool" : " tools");
}

void print_text(const review& of) {
  if (of.found.empty())
    std::cout << text::printable(of.entry.name) << ": nothing has changed since its " << all_tools(of)
              << (of.tools.size() == 1 ? " was" : " were") << " approved\n";
  for (auto& d : of.found)
    print_difference(d, of.entry.name);
}

void print_approved(const review& of) {
  if (!of.found.empty())
    std::cout << text::printable(of.entry.name) << ": " << of.found.size() << " of " << all_tools(of)
              << (of.found.size() == 1 ? " is" : " are") << " approved as shown\n";
}

// ---- for programs ------------------------------------------------------------------------------

json::value parsed(const std::string& canonical) {
  return canonical.empty() ? json::value{} : msg::document::parse(canonical).value.value();
}

void print_json(const review& of, verdict v) {
  json::array list;
  for (auto& d : of.found)
    list.push_back(
      json::object{{"tool", d.tool}, {"what", d.what}, {"before", parsed(d.approved)}, {"now", parsed(d.now)}});
  json::object out{{"server", of.entry.name},
                   {"source", of.entry.source},
                   {"tools", of.tools.size()},
                   {"approved", v == verdict::approved},
                   {"changed", std::move(list)}};
  print_document(out);
}

void print(const review& of, verdict v, output_form form) {
  if (form == output_form::json)
    print_json(of, v);
  else
    print_text(of);
  if (form == output_form::text && v == verdict::approved)
    print_approved(of);
}

// ---- approving -----------------------------------------------------------------------------------

/// False: it has said why not.
bool approve(tool_pinning::approvals& approvals, const review& of) {
  auto problem = of.found.empty() ? fault{} : approvals.approve(of.entry, to_approve(of));
  if (auto warning = approvals.take_warning(); !warning.empty())
    std::cerr << "code-executor: " << warning << "\n";
  if (problem.code != errc::none)
    complain(problem.message, EXIT_FAILURE);
  return problem.code == errc::none;
}

int show(const review& of, output_form form) {
  print(of, verdict::shown, form);
  return EXIT_SUCCESS;
}

/// For scripts.
int approve_and_print(tool_pinning::approvals& approvals, const review& of, output_form form) {
  if (!approve(approvals, of))
    return EXIT_FAILURE;
  print(of, verdict::approved, form);
  return EXIT_SUCCESS;
}

/// For a person, who sees it before it is approved.
int ask_and_approve(tool_pinning::approvals& approvals, const review& of, output_form form) {
  print(of, verdict::shown, form);
  if (!person_approves())
    return complain("nothing is approved", EXIT_FAILURE);
  if (!approve(approvals, of))
    return EXIT_FAILURE;
  print_approved(of);
  return EXIT_SUCCESS;
}

} // namespace

int trust_tools(const config::environment& environment, const config::settings& settings, const approval& wanted,
                output_form form) {
  if (settings.state_folder.empty())
    return complain("there is no folder for approvals: HOME is not set; set stateDir or CODE_EXECUTOR_STATE_DIR",
                    EXIT_FAILURE);
  auto servers = find_servers(environment, settings.state_folder);
  auto entry =
    std::find_if(servers.entries.begin(), servers.entries.end(), [&](auto& s) { return s.name == wanted.server; });
  if (entry == servers.entries.end()) {
    std::vector<std::string_view> names;
    names.reserve(servers.entries.size());
    for (auto& s : servers.entries)
      names.push_back(s.name);
    return complain("no server '" + wanted.server + "' is configured" + did_you_mean(wanted.server, names),
                    exit_wrong_use);
  }
  auto tools = list_of(*entry, settings.state_folder);
  if (!tools.ok())
    return complain(tools.error.message, EXIT_FAILURE);
  if (auto problem = unknown_tool(wanted.tools, tools.value); !problem.empty())
    return complain(problem, exit_wrong_use);
  if (!wanted.tools.empty())
    std::erase_if(tools.value, [&](auto& t) {
      return std::find(wanted.tools.begin(), wanted.tools.end(), t.name) == wanted.tools.end();
    });
  tool_pinning::approvals approvals{settings.state_folder};
  auto approved = approvals.approved(*entry);
  if (auto warning = approvals.take_warning(); !warning.empty())
    std::cerr << "code-executor: " << warning << "\n";
  if (!approved.ok())
    return complain(approved.error.message, EXIT_FAILURE);
  if (settings.security.pins == config::pin_policy::off)
    std::cerr << "code-executor: security.pinTools is off: approvals are written, and nothing is held against them\n";
  auto found = differences(approved.value, tools.value);
  review all{*entry, std::move(tools.value), std::move(found)};
  if (wanted.only_show)
    return show(all, form);
  if (is_read_elsewhere() && !all.found.empty()) {
    show(all, form);
    return complain(read_elsewhere, EXIT_FAILURE);
  }
  return is_attended() && !all.found.empty() ? ask_and_approve(approvals, all, form)
                                             : approve_and_print(approvals, all, form);
}

} // namespace cli
