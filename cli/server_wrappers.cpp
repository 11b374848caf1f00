#include "cli/server_wrappers.hpp"

#include "cli/generated_files.hpp"
#include "cli/known_tools.hpp"
#include "cli/probe.hpp"
#include "proxy/types/server_module.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

namespace cli {

namespace {

class wrapping {
public:
  wrapping(const config::settings& settings, std::vector<msg::server_entry> entries, std::string folder)
    : entries_(std::move(entries)),
      folder_(std::move(folder)),
      placed_(editors::place_servers(names_of(entries_))),
      tools_(known_tools(settings, entries_)) {}

  msg::outcome<server_wrappers> run() {
    msg::catalog_request ask;
    ask.operation = msg::catalog_operation::servers;
    for (auto& server : tools_.answer(ask).servers)
      known_.emplace(server.name, std::move(server.tools));
    std::vector<editors::placed_server> listed;
    for (auto& server : placed_)
      if (auto why = add(server, listed); why.code != msg::errc::none)
        return why;
    auto rest = editors::files_of_all(listed);
    std::move(rest.begin(), rest.end(), std::back_inserter(out_.files));
    for (auto warning = tools_.take_warning(); !warning.empty(); warning = tools_.take_warning())
      out_.problems.push_back(warning);
    return std::move(out_);
  }

private:
  static std::vector<std::string> names_of(const std::vector<msg::server_entry>& entries) {
    std::vector<std::string> out;
    out.reserve(entries.size());
    for (auto& entry : entries)
      out.push_back(entry.name);
    return out;
  }

  bool is_approved(const std::string& name) const {
    return std::any_of(entries_.begin(), entries_.end(),
                       [&](auto& entry) { return entry.name == name && msg::is_trusted(entry); });
  }

  msg::fault add(const editors::placed_server& server, std::vector<editors::placed_server>& listed) {
    bool approved = is_approved(server.name);
    auto known = known_.find(server.name);
    if (!approved || known == known_.end()) {
      (approved ? out_.not_indexed : out_.unapproved).push_back(server.name);
      keep(server, listed);
      return {};
    }
    auto found = definitions_of(server.name);
    if (!found.ok())
      return std::move(found.error);
    auto [tools, aliases] = usable(known->second, std::move(found.value));
    for (auto& tool : tools)
      learn(tool);
    auto files = editors::files_of_server(placed_, server, tools, aliases);
    std::move(files.begin(), files.end(), std::back_inserter(out_.files));
    listed.push_back(server);
    return {};
  }

  /// What was written when its tools were known.
  void keep(const editors::placed_server& server, std::vector<editors::placed_server>& listed) {
    for (auto& path : editors::paths_of(server))
      if (is_generated(folder_ + "/" + path)) {
        out_.kept.push_back(path);
        if (path == editors::typescript_path(server))
          listed.push_back(server);
      }
  }

  msg::outcome<msg::tool_list> definitions_of(const std::string& server) {
    msg::catalog_request ask;
    ask.operation = msg::catalog_operation::search;
    ask.query.server = server;
    msg::catalog_answer answer;
    do {
      answer = tools_.answer(ask);
      ask.so_far = answer.so_far;
    } while (answer.goes_on && answer.error.code == msg::errc::none);
    if (answer.error.code != msg::errc::none)
      return std::move(answer.error);
    return std::move(answer.found.matches.tools);
  }

  /// In the order of the names, which decides what their aliases are; some of them no program may use.
  static std::pair<msg::tool_list, std::vector<text::aliases>> usable(const std::vector<std::string>& names,
                                                                      msg::tool_list found) {
    std::map<std::string_view, msg::tool_info*> by_name;
    for (auto& tool : found)
      by_name.emplace(tool.name, &tool);
    std::pair<msg::tool_list, std::vector<text::aliases>> out;
    auto aliases = text::unique_aliases({names.begin(), names.end()});
    for (size_t i = 0; i < names.size(); ++i)
      if (auto place = by_name.find(names[i]); place != by_name.end()) {
        out.first.push_back(*place->second);
        out.second.push_back(std::move(aliases[i]));
      }
    return out;
  }

  void learn(msg::tool_info& tool) {
    msg::catalog_request ask;
    ask.operation = msg::catalog_operation::observed;
    ask.server = tool.server;
    ask.tool = tool.name;
    tool.observed = tools_.answer(ask).schema;
  }

  std::vector<msg::server_entry> entries_;
  std::string folder_;
  std::vector<editors::placed_server> placed_;
  proxy::discovery tools_;
  std::map<std::string, std::vector<std::string>> known_; ///< names of tools, in the order of their list
  server_wrappers out_;
};

} // namespace

msg::outcome<server_wrappers> make_server_wrappers(const config::environment& environment,
                                                   const config::settings& settings, const std::string& folder) {
  auto servers = find_servers(environment, settings.state_folder);
  auto made = wrapping{settings, std::move(servers.entries), folder}.run();
  made.value.problems.insert(made.value.problems.begin(), servers.problems.begin(), servers.problems.end());
  return made;
}

} // namespace cli
