#include "cli/start_report.hpp"

#include "cli/dependencies.hpp"
#include "cli/probe.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <string>
#include <vector>

namespace cli {

namespace {

std::string searched_files(const config::environment& environment) {
  constexpr size_t shown_max = 3;
  std::vector<std::string> paths;
  auto sources = config::server_sources(environment);
  for (auto& s : sources)
    if (paths.size() < shown_max)
      paths.push_back(s.path);
  return joined(paths) + " and " + std::to_string(sources.size() - paths.size())
         + " others; `code-executor servers` lists them";
}

/// A project says how many there are.
void report_problems(const std::vector<std::string>& problems) {
  constexpr size_t told_max = 20;
  for (size_t i = 0; i < std::min(problems.size(), told_max); ++i)
    spdlog::warn("configuration: {}", problems[i]);
  if (problems.size() > told_max)
    spdlog::warn("configuration: {} more problems; `code-executor servers` lists them", problems.size() - told_max);
}

void report_waiting(const msg::server_entries& entries) {
  constexpr size_t told_max = 5;
  size_t waiting = 0;
  for (auto& entry : entries)
    if (!msg::is_trusted(entry) && ++waiting <= told_max)
      spdlog::warn("{}", msg::refusal_to_start(entry).message);
  if (waiting > told_max)
    spdlog::warn("{} more servers need your approval; `code-executor servers` lists them", waiting - told_max);
}

} // namespace

void report_start(const config::settings& settings, const config::server_list& servers,
                  const bridge::dependencies& dependencies) {
  if (settings.file.empty())
    spdlog::info("no settings file was found; looked at {}", joined(settings.searched));
  else
    spdlog::info("settings: {}", settings.file);
  if (!settings.project_file.empty())
    spdlog::info("settings: narrowed by the project's {}", settings.project_file);
  report_problems(servers.problems);
  report_waiting(servers.entries);
  for (auto l : {msg::language::typescript, msg::language::python})
    if (auto problem = problem_of(dependencies, l); !problem.empty())
      spdlog::warn("{} is not available: {}", to_string(l), problem);
  if (servers.files.empty())
    spdlog::info("no configuration of MCP servers was found; looked at {}", searched_files(dependencies.environment));
}

} // namespace cli
