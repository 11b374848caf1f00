#include "cli/tools_command.hpp"

#include "actors/bridge/ask.hpp"
#include "actors/client/run_intake.hpp"
#include "cli/exit_codes.hpp"
#include "cli/verb_process.hpp"
#include "messages/limits.hpp"
#include "proxy/names.hpp"
#include "proxy/summary.hpp"
#include "proxy/tool_docs.hpp"
#include "proxy/types/parameter_line.hpp"
#include "text/json_text.hpp"
#include "text/printable.hpp"

#include <CLI/CLI.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <caf/all.hpp>

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace cli {

namespace json = boost::json;
namespace limits = msg::limits;
using msg::tool_detail;
using std::chrono::milliseconds;

namespace {

/// A server that is named may have to be started.
constexpr milliseconds search_max = limits::child_handshake_timeout_max + milliseconds{30'000};
/// In the list for people: of a description, and of the parameters.
constexpr size_t description_bytes_max = 160, parameters_bytes_max = 400;

struct tools_wish {
  msg::tool_query query;
  tool_detail detail; ///< minimal: names alone
  output_form form;
};

std::string lines_of(const std::string& text, const std::string& before) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    auto end = std::min(text.find('\n', at), text.size());
    out += before + text::printable(std::string_view{text}.substr(at, end - at)) + "\n";
    at = end + 1;
  }
  return out;
}

std::string shown(const msg::tool_info& tool, tool_detail detail) {
  auto out = text::printable(proxy::full_name(tool.server, tool.name)) + "\n";
  if (detail == tool_detail::full) {
    auto doc = proxy::signature_doc(tool, msg::language::typescript);
    return out + lines_of(std::string{doc.at("signature").as_string()}, "    ");
  }
  if (detail == tool_detail::minimal)
    return out;
  out += lines_of(proxy::summary(tool.description, description_bytes_max), "    ");
  if (auto takes = types::parameter_line(tool, parameters_bytes_max); !takes.empty())
    out += "    takes " + text::printable(takes) + "\n";
  return out;
}

std::string listed(const std::vector<std::string>& names) {
  std::string out;
  for (auto& name : names)
    out += (out.empty() ? "" : ", ") + name;
  return out;
}

class tool_listing final : public verb_process {
public:
  tool_listing(verb_parts parts, tools_wish wish) : verb_process(std::move(parts)), wish_(std::move(wish)) {}

private:
  void adapt(actors::supervisor_options& o) override {
    o.configuration.watch = nullptr; // what is configured now counts
    o.servers_started = [this](const msg::connector_actor& connector, const msg::audit_log_actor&) {
      connector_ = connector;
    };
  }

  void forget_actors() override { connector_ = nullptr; }

  using found_tools = msg::outcome<msg::tool_matches>;

  asio::awaitable<int> carry_out() override {
    if (is_nested())
      co_return fails(client::nested_refusal());
    auto found = co_await search(first_query());
    bool is_unknown = found.ok() && !wish_.query.server.empty() && !found.value.not_indexed.empty();
    if (is_unknown) // the server is asked itself
      found = co_await search(wish_.query);
    if (!found.ok())
      co_return fails(found.error);
    auto& tools = found.value.tools;
    if (wish_.query.text.empty())
      std::stable_sort(tools.begin(), tools.end(), [](auto& a, auto& b) { return a.server < b.server; });
    tell(found.value);
    auto text = wish_.form == output_form::json ? document(found.value) : list(tools);
    auto printed = co_await print(std::move(text));
    co_return found.value.failures.empty() ? printed : EXIT_FAILURE;
  }

  /// One that names a server starts it: the catalog may know its tools.
  msg::tool_query first_query() const {
    auto query = wish_.query;
    auto& entries = configuration_.servers().entries;
    auto is_one = [&query](auto& entry) { return entry.name == query.server && msg::is_trusted(entry); };
    if (!query.server.empty() && std::any_of(entries.begin(), entries.end(), is_one))
      query.allowed.servers = {std::exchange(query.server, {})};
    return query;
  }

  asio::awaitable<found_tools> search(msg::tool_query query) {
    auto found = co_await bridge::ask<found_tools>(dependencies_.port, connector_, search_max, msg::search_atom::value,
                                                   std::move(query));
    if (!found.ok())
      co_return std::move(found.error);
    co_return std::move(found.value);
  }

  std::string document(const msg::tool_matches& found) const {
    json::object out{{"tools", proxy::search_entries(found, wish_.detail)}, {"total", found.total}};
    if (!found.connected.empty())
      out["started"] = json::array(found.connected.begin(), found.connected.end());
    if (!found.not_indexed.empty())
      out["notIndexed"] = json::array(found.not_indexed.begin(), found.not_indexed.end());
    json::array problems;
    for (auto& why : found.failures)
      problems.push_back(json::string{why.message});
    if (!problems.empty())
      out["problems"] = std::move(problems);
    return text::printable(text::to_text(out)) + "\n";
  }

  std::string list(const msg::tool_list& tools) const {
    std::string out;
    for (auto& tool : tools)
      out += shown(tool, wish_.detail);
    return out;
  }

  /// On stderr: what is not in the list.
  void tell(const msg::tool_matches& found) {
    for (auto& why : found.failures)
      complain("tools: " + why.message);
    if (wish_.form == output_form::json)
      return;
    if (found.tools.empty() && found.not_indexed.empty())
      notes_.note(wish_.query.text.empty() ? "There are no tools: `code-executor servers` says what is configured."
                                           : "No tool fits.");
    else if (found.total > found.tools.size())
      notes_.note(std::to_string(found.tools.size()) + " of " + std::to_string(found.total)
                  + " tools; --limit says how "
                    "many");
    if (!found.not_indexed.empty())
      notes_.note("The tools of these servers are not known yet: " + listed(found.not_indexed)
                  + "; `code-executor index` reads them.");
  }

  int fails(const msg::fault& why) {
    bool is_said = why.suggestions.empty() || why.message.find(why.suggestions.front()) != std::string::npos;
    complain("tools: " + why.message + (is_said ? "" : "; nearest: " + listed(why.suggestions)));
    return EXIT_FAILURE;
  }

  tools_wish wish_;
  msg::connector_actor connector_;
};

} // namespace

tools_words::tools_words(CLI::App& app, bool& as_json)
  : command_(app.add_subcommand("tools", "the tools of your servers; with words: those that fit, best first")) {
  command_->add_option("query", query_, "what the tool should do; without it: all tools")->type_name("QUERY");
  command_->add_option("--server", server_, "of this server alone; it is started if its tools are not known yet")
    ->type_name("NAME");
  command_->add_option("--detail", detail_, "name, summary (the default), or full: with types")
    ->check(CLI::IsMember({"name", "summary", "full"}));
  command_->add_option("--limit", limit_, "so many at most; 10 of those that fit, else all")
    ->check(CLI::Range(1U, 100'000U));
  command_->add_flag("--json", as_json, "print one JSON document");
  command_->footer("Example: code-executor tools 'create an issue' --detail full");
}

bool tools_words::wanted() const { return command_->parsed(); }

int tools_words::run(const config::environment& environment, const config::settings& settings,
                     const config::variable_lookup& variables, output_form form) const {
  tools_wish wish;
  wish.query.text = query_.substr(0, limits::query_bytes_max);
  wish.query.server = server_;
  wish.query.limit = limit_ > 0 || query_.empty() ? limit_ : limits::search_results_default;
  wish.detail = detail_ == "name"   ? tool_detail::minimal
                : detail_ == "full" ? tool_detail::full
                                    : tool_detail::standard;
  wish.form = form;
  auto own = settings_of_verb(settings);
  return run_verb(environment, own, variables, {}, [&wish](verb_parts parts) {
    return tool_listing{std::move(parts), std::move(wish)}.run();
  });
}

} // namespace cli
