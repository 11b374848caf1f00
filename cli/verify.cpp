#include "cli/verify.hpp"

#include "actors/bridge/ask.hpp"
#include "cli/complain.hpp"
#include "cli/exit_codes.hpp"
#include "cli/print_document.hpp"
#include "cli/probe.hpp"
#include "cli/server_process.hpp"
#include "faults/reading_tools.hpp"
#include "mcp/fields.hpp"
#include "proxy/name_patterns.hpp"
#include "proxy/names.hpp"
#include "recording/difference.hpp"
#include "recording/recorded.hpp"
#include "text/printable.hpp"

#include <CLI/CLI.hpp>
#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <caf/all.hpp>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <set>
#include <utility>

namespace cli {

namespace json = boost::json;
using std::chrono::milliseconds;

namespace {

/// Of one call, its server's start included.
constexpr milliseconds one_call_max{120'000};
/// Differences that are shown of one answer.
constexpr size_t differences_max = 5;
/// Calls are made as one run, which is none that a client has.
constexpr uint64_t run_of_verify = 1;

/// What was asked of a tool, or what its definition was.
struct question {
  enum class about : uint8_t { answer, definition };
  about what = about::answer;
  std::string server, tool;
  msg::document arguments;
  msg::document was; ///< the recorded result or error; of a definition the tool
  std::string name() const { return proxy::full_name(server, tool); }
};

struct finding {
  std::string tool, what; ///< "answers differently", "is defined differently"
  std::vector<recording::difference> differences;
};

/// What is compared of a result: what a program sees.
json::value compared(const json::value& result) {
  json::object out;
  auto* given = result.if_object();
  for (std::string_view member : {"content", "structuredContent", "isError"})
    if (auto* value = given ? given->if_contains(member) : nullptr; value && *value != json::value(false))
      out.emplace(member, *value);
  return out;
}

/// Of a recording: each question once, with its first answer.
class question_list {
public:
  question_list(const recording::recorded& from, const std::vector<std::string>& only, bool with_writes) {
    from.for_each([&](const json::object& line) {
      auto method = mcp::string_or(line, "method");
      if (method == "tools/list")
        take_tools(line);
    });
    from.for_each([&](const json::object& line) {
      if (mcp::string_or(line, "method") == "tools/call")
        take_call(line, with_writes);
    });
    auto is_wanted = [&](const question& one) {
      return only.empty()
             || std::any_of(only.begin(), only.end(), [&](auto& p) { return proxy::matches(p, one.name()); });
    };
    std::erase_if(questions, [&](auto& one) { return !is_wanted(one); });
  }

  std::vector<question> questions;
  size_t writes_left_out = 0;

private:
  void take_tools(const json::object& line) {
    auto* result = mcp::object_in(&line, "result");
    auto* tools = result ? result->if_contains("tools") : nullptr;
    if (!tools || !tools->is_array())
      return;
    for (auto& tool : tools->get_array()) {
      std::string server{mcp::string_or(line, "server")}, name{mcp::string_in(tool.if_object(), "name")};
      if (name.empty() || !asked_.insert("tool " + proxy::full_name(server, name)).second)
        continue;
      if (faults::says_it_reads(tool.get_object()))
        readers_.insert(proxy::full_name(server, name));
      questions.push_back({question::about::definition, std::move(server), std::move(name), {}, msg::document{tool}});
    }
  }

  void take_call(const json::object& line, bool with_writes) {
    auto* params = mcp::object_in(&line, "params");
    auto* said = line.if_contains("result") ? line.if_contains("result") : line.if_contains("error");
    if (!params || !said || !asked_.insert(std::string{mcp::string_or(line, "key")}).second)
      return;
    question one{question::about::answer,
                 std::string{mcp::string_or(line, "server")},
                 std::string{mcp::string_or(*params, "name")},
                 {},
                 msg::document{*said}};
    if (auto* arguments = params->if_contains("arguments"))
      one.arguments = msg::document{*arguments};
    bool may_be_asked = with_writes || readers_.count(one.name()) > 0 || faults::sounds_like_reading(one.name());
    may_be_asked ? questions.push_back(std::move(one)) : void(++writes_left_out);
  }

  std::set<std::string> asked_, readers_;
};

class verifying : public server_process {
public:
  verifying(const config::environment& env, const config::settings& settings, const config::variable_lookup& variables,
            std::vector<msg::server_entry> servers, std::vector<question> questions)
    : server_process(env, settings, variables, std::move(servers)),
      questions_(std::move(questions)) {}

  std::vector<finding> run() {
    asio::co_spawn(io_, ask_all(), asio::detached);
    run_loop();
    return std::move(findings_);
  }

  size_t asked() const { return asked_; }

private:
  asio::awaitable<void> ask_all() {
    for (auto& one : questions_) {
      if (was_interrupted())
        break;
      if (one.what == question::about::definition)
        co_await ask_definition(one);
      else
        co_await ask_again(one);
      ++asked_;
    }
    co_await end();
  }

  asio::awaitable<void> ask_definition(const question& one) {
    msg::tool_ref ref;
    ref.server = one.server;
    ref.tool = one.tool;
    msg::tool_filter everything;
    auto told = co_await bridge::ask<msg::outcome<msg::tool_info>>(
      dependencies_.port, connector_, one_call_max, msg::describe_atom::value, std::move(ref), std::move(everything));
    auto& problem = told.ok() ? told.value.error : told.error;
    if (problem.code != msg::errc::none)
      add(one, "is not there any more: " + problem.message, {});
    else
      compare(one, "is defined differently", one.was.value(), told.value.value.definition.value(),
              recording::secret_names::kept);
  }

  asio::awaitable<void> ask_again(const question& one) {
    msg::tool_request call;
    call.key = {run_of_verify, ++last_call_};
    call.tool.server = one.server;
    call.tool.tool = one.tool;
    call.arguments = one.arguments;
    auto told = co_await bridge::ask<msg::outcome<msg::tool_result>>(dependencies_.port, connector_, one_call_max,
                                                                     msg::call_atom::value, std::move(call));
    auto& problem = told.ok() ? told.value.error : told.error;
    bool had_failed = !one.was.value().is_object() || one.was.value().get_object().contains("code");
    if (problem.code == msg::errc::none)
      compare(one, "answers differently", compared(one.was.value()), compared(told.value.value.envelope.value()));
    else if (!had_failed)
      add(one, "fails now: " + problem.message, {});
  }

  /// As it would be recorded.
  void compare(const question& one, std::string what, const json::value& was, const json::value& is,
               recording::secret_names names = recording::secret_names::redacted) {
    auto shown = recording::without_secrets(
      is, [](std::string text) { return text; }, names);
    if (auto found = recording::differences(was, shown, differences_max); !found.empty())
      add(one, std::move(what), std::move(found));
  }

  void add(const question& one, std::string what, std::vector<recording::difference> found) {
    findings_.push_back({one.name(), std::move(what), std::move(found)});
  }

  std::vector<question> questions_;
  std::vector<finding> findings_;
  uint64_t last_call_ = 0;
  size_t asked_ = 0;
};

json::object finding_doc(const finding& one) {
  json::array differences;
  for (auto& each : one.differences)
    differences.push_back(json::object{{"at", each.path}, {"was", each.was}, {"is", each.is}});
  return {{"tool", one.tool}, {"what", one.what}, {"differences", std::move(differences)}};
}

void print_findings(const std::vector<finding>& findings, size_t asked, size_t left_out) {
  for (auto& one : findings) {
    std::cout << text::printable(one.tool + " " + one.what) << "\n";
    for (auto& each : one.differences)
      std::cout << "  "
                << text::printable((each.path.empty() ? "the whole" : each.path) + ": was " + each.was + ", is "
                                   + each.is)
                << "\n";
  }
  std::cout << asked << " compared, " << findings.size() << " different";
  if (left_out > 0)
    std::cout << "; " << left_out << " calls that may write were not made (--writes makes them)";
  std::cout << "\n";
}

} // namespace

verify_words::verify_words(CLI::App& app, bool& as_json)
  : command_(app.add_subcommand("verify", "hold a recording against the servers: which answer differently, and which "
                                          "tools are others")) {
  command_->add_option("file", file_, "the recording")->required();
  command_->add_option("--only", only_, "patterns of tools, such as mcp__github__*, separated by ','")->delimiter(',');
  command_->add_flag("--writes", with_writes_, "make calls again that may write, too");
  command_->add_flag("--json", as_json, "print one JSON document");
}

bool verify_words::wanted() const { return command_->parsed(); }

int verify_words::run(const config::environment& environment, const config::settings& settings,
                      const config::variable_lookup& variables, output_form form) const {
  auto from = recording::recorded::read(file_);
  if (!from.ok())
    return complain("verify: " + from.error.message, exit_wrong_use);
  question_list list{from.value, only_, with_writes_};
  auto servers = find_servers(environment, settings.state_folder);
  if (settings.log.level.empty())
    spdlog::set_level(spdlog::level::err); // what is wrong with a server is said in its line
  verifying all{environment, settings, variables, std::move(servers.entries), std::move(list.questions)};
  auto findings = all.run();
  if (all.was_interrupted())
    return complain("verify: interrupted after " + std::to_string(all.asked()) + " questions", exit_interrupted);
  if (form == output_form::text) {
    print_findings(findings, all.asked(), list.writes_left_out);
  } else {
    json::array different;
    for (auto& one : findings)
      different.push_back(finding_doc(one));
    print_document(json::object{
      {"compared", all.asked()}, {"different", std::move(different)}, {"writesLeftOut", list.writes_left_out}});
  }
  return findings.empty() ? EXIT_SUCCESS : EXIT_FAILURE;
}

} // namespace cli
