#include "cli/verify.hpp"

#include "actors/bridge/ask.hpp"
#include "cli/complain.hpp"
#include "cli/exit_codes.hpp"
#include "cli/print_document.hpp"
#include "cli/probe.hpp"
#include "cli/server_process.hpp"
#include "config/server_secrets.hpp"
#include "faults/reading_tools.hpp"
#include "mcp/fields.hpp"
#include "mcp/secret_mask.hpp"
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
#include <map>
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

/// Of a recording: each question once, with its first answer. What it says of its tools is compared, and not believed.
class question_list {
public:
  question_list(const recording::recorded& from, const std::vector<std::string>& only) : from_(from) {
    from.for_each([&](const json::object& line) {
      auto method = mcp::string_or(line, "method");
      if (method == "tools/list")
        take_tools(line);
    });
    from.for_each([&](const json::object& line) {
      if (mcp::string_or(line, "method") == "tools/call")
        take_call(line);
    });
    auto is_wanted = [&](const question& one) {
      return only.empty()
             || std::any_of(only.begin(), only.end(), [&](auto& p) { return proxy::matches(p, one.name()); });
    };
    std::erase_if(questions, [&](auto& one) { return !is_wanted(one); });
  }

  std::vector<question> questions;

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
      questions.push_back({question::about::definition, std::move(server), std::move(name), {}, msg::document{tool}});
    }
  }

  void take_call(const json::object& line) {
    auto* params = mcp::object_in(&line, "params");
    auto* said = line.if_contains("result") ? line.if_contains("result") : line.if_contains("error");
    if (!params || !said || !asked_.insert(from_.key_in(line)).second)
      return;
    question one{question::about::answer,
                 std::string{mcp::string_or(line, "server")},
                 std::string{mcp::string_or(*params, "name")},
                 {},
                 msg::document{*said}};
    if (auto* arguments = params->if_contains("arguments"))
      one.arguments = msg::document{*arguments};
    questions.push_back(std::move(one));
  }

  const recording::recorded& from_;
  std::set<std::string> asked_;
};

/// Of a server's own secrets, by its name.
using masks_of_servers = std::map<std::string, mcp::secret_mask>;
masks_of_servers masks_of(const std::vector<msg::server_entry>& servers, const config::environment& env,
                          const config::variable_lookup& variables) {
  masks_of_servers out;
  for (auto& entry : servers)
    out.emplace(entry.name, config::secrets_of(entry, env, variables));
  return out;
}

enum class writing_calls : uint8_t { left_out, made };

class verifying : public server_process {
public:
  verifying(const config::environment& env, const config::settings& settings, const config::variable_lookup& variables,
            const std::vector<msg::server_entry>& servers, std::vector<question> questions, writing_calls writes)
    : server_process(env, settings, variables, servers),
      masks_(masks_of(servers, env, variables)),
      questions_(std::move(questions)),
      writes_(writes) {}

  std::vector<finding> run() {
    asio::co_spawn(io_, ask_all(), asio::detached);
    run_loop();
    return std::move(findings_);
  }

  size_t asked() const { return asked_; }
  size_t writes_left_out() const { return writes_left_out_; }

private:
  using live_tool = msg::outcome<msg::tool_info>;

  asio::awaitable<void> ask_all() {
    for (auto& one : questions_) {
      if (was_interrupted())
        break;
      if (one.what == question::about::definition)
        co_await ask_definition(one);
      else
        co_await ask_again(one);
    }
    co_await end();
  }

  /// What its server says of it now; asked once.
  asio::awaitable<const live_tool*> describe(const question& one) {
    auto [known, is_new] = live_.try_emplace(one.name());
    if (is_new) {
      msg::tool_ref ref;
      ref.server = one.server;
      ref.tool = one.tool;
      msg::tool_filter everything;
      auto told = co_await bridge::ask<live_tool>(dependencies_.port, connector_, one_call_max,
                                                  msg::describe_atom::value, std::move(ref), std::move(everything));
      known->second = told.ok() ? std::move(told.value) : live_tool{std::move(told.error)};
    }
    co_return &known->second;
  }

  asio::awaitable<void> ask_definition(const question& one) {
    auto* now = co_await describe(one);
    ++asked_;
    if (!now->ok())
      add(one, "is not there any more: " + now->error.message, {});
    else
      compare(one, "is defined differently", one.was.value(), now->value.definition.value(),
              recording::secret_names::kept);
  }

  asio::awaitable<void> ask_again(const question& one) {
    bool had_failed = !one.was.value().is_object() || one.was.value().get_object().contains("code");
    auto* now = co_await describe(one);
    auto* tool = now->value.definition.value().if_object();
    bool only_reads = now->ok() && tool && faults::says_it_reads(*tool);
    if (now->ok() && !only_reads && writes_ == writing_calls::left_out) {
      ++writes_left_out_;
      co_return;
    }
    ++asked_;
    auto problem = now->error;
    msg::outcome<msg::tool_result> told;
    if (now->ok()) {
      told = co_await call(one, now->value);
      problem = told.error;
    }
    if (problem.code == msg::errc::none)
      compare(one, "answers differently", compared(one.was.value()), compared(told.value.envelope.value()));
    else if (!had_failed)
      add(one, "fails now: " + problem.message, {});
  }

  asio::awaitable<msg::outcome<msg::tool_result>> call(const question& one, const msg::tool_info& tool) {
    msg::tool_request request;
    request.key = {run_of_verify, ++last_call_};
    request.tool.server = tool.server;
    request.tool.tool = tool.name;
    request.arguments = one.arguments;
    auto told = co_await bridge::ask<msg::outcome<msg::tool_result>>(dependencies_.port, connector_, one_call_max,
                                                                     msg::call_atom::value, std::move(request));
    if (!told.ok())
      co_return std::move(told.error);
    co_return std::move(told.value);
  }

  /// As it would be recorded. What the file says without our help has none of the secrets either.
  void compare(const question& one, std::string what, json::value was, const json::value& is,
               recording::secret_names names = recording::secret_names::redacted) {
    auto known = masks_.find(one.server);
    auto mask = [&](std::string text) {
      return known == masks_.end() ? std::move(text) : known->second(std::move(text), false);
    };
    mcp::mask_texts(was, mask);
    auto shown = recording::without_secrets(is, mask, names);
    if (auto found = recording::differences(was, shown, differences_max); !found.empty())
      add(one, std::move(what), std::move(found));
  }

  void add(const question& one, std::string what, std::vector<recording::difference> found) {
    findings_.push_back({one.name(), std::move(what), std::move(found)});
  }

  masks_of_servers masks_;
  std::vector<question> questions_;
  writing_calls writes_;
  std::map<std::string, live_tool> live_; ///< by whole names
  std::vector<finding> findings_;
  uint64_t last_call_ = 0;
  size_t asked_ = 0, writes_left_out_ = 0;
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
  for (auto& gap : from.value.gaps())
    complain(file_ + ": " + gap, exit_wrong_use);
  question_list list{from.value, only_};
  auto servers = find_servers(environment, settings.state_folder);
  if (settings.log.level.empty())
    spdlog::set_level(spdlog::level::err); // what is wrong with a server is said in its line
  verifying all{environment,
                settings,
                variables,
                servers.entries,
                std::move(list.questions),
                with_writes_ ? writing_calls::made : writing_calls::left_out};
  auto findings = all.run();
  if (all.was_interrupted())
    return complain("verify: interrupted after " + std::to_string(all.asked()) + " questions", exit_interrupted);
  if (form == output_form::text) {
    print_findings(findings, all.asked(), all.writes_left_out());
  } else {
    json::array different;
    for (auto& one : findings)
      different.push_back(finding_doc(one));
    print_document(json::object{
      {"compared", all.asked()}, {"different", std::move(different)}, {"writesLeftOut", all.writes_left_out()}});
  }
  return findings.empty() ? EXIT_SUCCESS : EXIT_FAILURE;
}

} // namespace cli
