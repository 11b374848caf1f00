#include "cli/trust_entry.hpp"

#include "catalog/pinning/definition.hpp"
#include "catalog/pinning/entries.hpp"
#include "cli/complain.hpp"
#include "cli/confirm.hpp"
#include "cli/exit_codes.hpp"
#include "cli/print_document.hpp"
#include "cli/probe.hpp"
#include "text/nearest.hpp"
#include "text/printable.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <string_view>
#include <vector>

namespace cli {

namespace json = boost::json;
using tool_pinning::visible;

namespace {

const char* standing_of(const msg::server_entry& e) {
  switch (e.trust) {
    case msg::trust_level::user: return "your own";
    case msg::trust_level::approved: return "approved";
    case msg::trust_level::unapproved: return "needs approval";
    case msg::trust_level::changed: return "changed since it was approved";
    case msg::trust_level::rejected: return "rejected in the client";
  }
  return "needs approval";
}

/// Null: there is none.
const msg::server_entry* find_entry(const config::server_list& list, const std::string& name) {
  auto has_name = [&](auto& e) { return e.name == name; };
  auto hidden = std::find_if(list.hidden.begin(), list.hidden.end(), has_name);
  if (hidden != list.hidden.end())
    return &*hidden;
  auto found = std::find_if(list.entries.begin(), list.entries.end(), has_name);
  return found == list.entries.end() ? nullptr : &*found;
}

std::string unknown(const config::server_list& list, const std::string& name) {
  std::vector<std::string_view> names;
  names.reserve(list.entries.size());
  for (auto& e : list.entries)
    names.push_back(e.name);
  auto near = text::nearest(name, names, 1);
  return "no server '" + name + "' is configured" + (near.empty() ? "" : "; did you mean '" + near.front() + "'?");
}

std::string joined_visible(const std::vector<std::string>& patterns) {
  std::string out;
  for (auto& pattern : patterns)
    out += (out.empty() ? "" : ", ") + visible(pattern);
  return out.empty() ? "none" : out;
}

/// Keys of ours; what is not given is as the settings say.
void print_bounds(const msg::server_entry& e) {
  if (!e.tools.everything)
    std::cout << "  tools (includeTools): " << joined_visible(e.tools.allowed) << "\n";
  if (!e.tools.denied.empty())
    std::cout << "  but for (excludeTools): " << joined_visible(e.tools.denied) << "\n";
  if (e.rate.requests > 0)
    std::cout << "  at most (rateLimit): " << e.rate.requests << " calls in " << e.rate.window_ms << " ms\n";
  if (e.call_timeout_ms > 0)
    std::cout << "  time of a call (timeoutMs): " << e.call_timeout_ms << " ms\n";
  if (e.calls_max > 0)
    std::cout << "  calls at once (maxConcurrent): " << e.calls_max << "\n";
  if (e.eager)
    std::cout << "  started with every server of ours (eager)\n";
}

const char* name_of(msg::transport_kind kind) {
  switch (kind) {
    case msg::transport_kind::stdio: return "stdio";
    case msg::transport_kind::automatic: return "http or sse, as it answers";
    case msg::transport_kind::streamable_http: return "http";
    case msg::transport_kind::sse: return "sse";
  }
  return "stdio";
}

/// All that is digested (tool_pinning::digest_of_entry()), as it is written in the file.
void print_text(const msg::server_entry& e) {
  std::cout << visible(e.name) << ": " << standing_of(e) << "; " << visible(e.client) << ", " << visible(e.source)
            << "\n";
  auto line = [](const char* what, const std::string& text) {
    std::cout << "  " << what << ": " << visible(text) << "\n";
  };
  auto given = [&](const char* what, const std::string& text) {
    if (!text.empty())
      line(what, text);
  };
  given("command", e.command);
  for (auto& argument : e.args)
    line("argument", argument);
  for (auto& [name, value] : e.env)
    line("variable", std::string{name}.append("=").append(value));
  for (auto& name : e.env_names)
    line("variable of yours", name);
  given("file of variables", e.env_file);
  given("folder", e.cwd);
  given("url", e.url);
  if (e.transport != msg::transport_kind::stdio)
    line("transport", name_of(e.transport));
  for (auto& [name, value] : e.headers)
    line("header", std::string{name}.append(": ").append(value));
  for (auto& [name, variable] : e.header_names)
    line("header that is a variable of yours", std::string{name}.append(": ").append(variable));
  given("variable of yours with its token", e.bearer_name);
  print_bounds(e);
}

json::array list_of_texts(const std::vector<std::string>& texts) { return json::array(texts.begin(), texts.end()); }

json::array pairs(const std::vector<std::pair<std::string, std::string>>& from) {
  json::array out;
  for (auto& [name, value] : from)
    out.push_back(json::array{json::string{name}, json::string{value}});
  return out;
}

enum class standing : uint8_t { unapproved, approved };

standing standing_now(const msg::server_entry& e) {
  return msg::is_trusted(e) ? standing::approved : standing::unapproved;
}

json::object as_json(const msg::server_entry& e, standing now) {
  return {{"server", e.name},
          {"status", standing_of(e)},
          {"client", e.client},
          {"file", e.source},
          {"command", e.command},
          {"args", list_of_texts(e.args)},
          {"env", pairs(e.env)},
          {"envNames", list_of_texts(e.env_names)},
          {"envFile", e.env_file},
          {"cwd", e.cwd},
          {"url", e.url},
          {"headers", pairs(e.headers)},
          {"headerNames", pairs(e.header_names)},
          {"bearerName", e.bearer_name},
          {"transport", name_of(e.transport)},
          {"includeTools", e.tools.everything ? json::value(nullptr) : json::value(list_of_texts(e.tools.allowed))},
          {"excludeTools", list_of_texts(e.tools.denied)},
          {"rateLimit", e.rate.requests > 0
                          ? json::value(json::object{{"requests", e.rate.requests}, {"windowMs", e.rate.window_ms}})
                          : json::value(nullptr)},
          {"timeoutMs", e.call_timeout_ms},
          {"maxConcurrent", e.calls_max},
          {"eager", e.eager},
          {"approved", now == standing::approved}};
}

void print(const msg::server_entry& e, standing now, output_form form) {
  if (form == output_form::json)
    print_document(as_json(e, now));
  else
    print_text(e);
}

void print_approved(const msg::server_entry& e) {
  std::cout << visible(e.name) << ": approved as shown; a change of any of this asks again\n";
}

/// What is shown and what is approved was read once. At a terminal it is seen before that; a script sees it when it is
/// done.
int approve(const msg::server_entry& e, const std::string& state_folder, output_form form) {
  auto attended = is_attended();
  if (attended || is_read_elsewhere())
    print(e, standing_now(e), form);
  if (is_read_elsewhere())
    return complain(read_elsewhere, EXIT_FAILURE);
  if (attended && !person_approves())
    return complain("nothing is approved", EXIT_FAILURE);
  if (auto problem = tool_pinning::approve_entry(state_folder, e); problem.code != msg::errc::none)
    return complain(problem.message, EXIT_FAILURE);
  if (!attended)
    print(e, standing::approved, form);
  if (attended || form == output_form::text)
    print_approved(e);
  return EXIT_SUCCESS;
}

} // namespace

int trust_entry(const config::environment& environment, const config::settings& settings, const std::string& server,
                trust_action what, output_form form) {
  auto list = find_servers(environment, settings.state_folder);
  auto* entry = find_entry(list, server);
  if (!entry)
    return complain(unknown(list, server), exit_wrong_use);
  // One of the user's own is asked for by a server that runs, when it has come meanwhile.
  bool is_needed = !msg::is_trusted(*entry) || may_be_written(settings, *entry);
  if (is_needed && what == trust_action::approve)
    return approve(*entry, settings.state_folder, form);
  print(*entry, standing_now(*entry), form);
  if (form == output_form::text && what == trust_action::approve)
    std::cout << visible(entry->name) << ": nothing to approve\n";
  return EXIT_SUCCESS;
}

void print_entry(const msg::server_entry& entry) { print_text(entry); }

} // namespace cli
