#include "cli/setup_steps.hpp"

#include "cli/probe.hpp"
#include "cli/setup_questions.hpp"
#include "cli/setup_report.hpp"
#include "cli/trust_entry.hpp"
#include "setup/settings_text.hpp"

#include <algorithm>
#include <iostream>

namespace cli {

namespace {

usual_answer usually(bool is_proposed) { return is_proposed ? usual_answer::yes : usual_answer::no; }

size_t servers_to_read(const config::server_list& list) {
  return static_cast<size_t>(std::count_if(list.entries.begin(), list.entries.end(), [](auto& entry) {
    return msg::is_trusted(entry) && !entry.disabled && entry.unusable.empty();
  }));
}

} // namespace

std::string settings_path(const config::environment& env) { return env.home + "/.code-executor.json"; }

std::optional<setup::file_change> settings_file(const config::environment& env, const config::settings& settings) {
  if (!settings.file.empty() || env.home.empty())
    return std::nullopt;
  return setup::file_change{settings_path(env), std::nullopt, setup::explained_settings(config::declared_settings()),
                            std::nullopt};
}

std::vector<msg::server_entry> waiting_entries(const config::environment& env, const config::settings& settings) {
  auto list = find_servers(env, settings.state_folder);
  std::vector<msg::server_entry> out;
  for (auto* entries : {&list.entries, &list.hidden})
    for (auto& entry : *entries)
      if (entry.trust == msg::trust_level::unapproved || entry.trust == msg::trust_level::changed)
        out.push_back(entry);
  return out;
}

std::optional<setup_steps> ask_of_steps(const config::environment& env, const config::settings& settings,
                                        proposed_steps proposed) {
  setup_steps out;
  if (auto file = settings_file(env, settings)) {
    auto answer =
      ask("Write " + file->path + ", with every setting explained and none of them set?", usually(proposed.settings));
    if (!answer)
      return std::nullopt;
    if (*answer)
      out.settings = std::move(file);
  }
  auto waiting = waiting_entries(env, settings);
  waiting.resize(std::min(waiting.size(), asked_entries_max));
  for (auto& entry : waiting) {
    std::cout << "\n";
    print_entry(entry);
    auto answer = ask("It stands in a file of this project, which others may have written. May it be started as shown?",
                      usual_answer::no);
    if (!answer)
      return std::nullopt;
    if (*answer)
      out.approved.push_back(std::move(entry));
  }
  auto count = servers_to_read(find_servers(env, settings.state_folder));
  if (count == 0)
    return out;
  auto answer = ask("Start your " + std::to_string(count) + (count == 1 ? " server" : " servers")
                      + " once, to read their tools into the catalog?",
                    usually(proposed.index));
  if (!answer)
    return std::nullopt;
  out.reads_tools = *answer;
  return out;
}

} // namespace cli
