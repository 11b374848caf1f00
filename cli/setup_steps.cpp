#include "cli/setup_steps.hpp"

#include "cli/probe.hpp"
#include "cli/setup_questions.hpp"
#include "cli/setup_report.hpp"
#include "cli/trust_entry.hpp"
#include "cli/wrapper_sync.hpp"

#include <boost/json/value.hpp>

#include <algorithm>
#include <iostream>
#include <utility>

namespace cli {

namespace json = boost::json;

namespace {

usual_answer usually(bool is_proposed) { return is_proposed ? usual_answer::yes : usual_answer::no; }

/// Those that wait for the user's approval.
std::vector<msg::server_entry> waiting_entries(const config::environment& env, const config::settings& settings) {
  auto list = find_servers(env, settings.state_folder);
  std::vector<msg::server_entry> out;
  for (auto* entries : {&list.entries, &list.hidden})
    for (auto& entry : *entries)
      if (entry.trust == msg::trust_level::unapproved || entry.trust == msg::trust_level::changed)
        out.push_back(entry);
  return out;
}

size_t servers_to_read(const config::server_list& list) {
  return static_cast<size_t>(std::count_if(list.entries.begin(), list.entries.end(), [](auto& entry) {
    return msg::is_trusted(entry) && !entry.disabled && entry.unusable.empty();
  }));
}

/// The questions, one after the other. Each is false if it was left.
class step_questions {
public:
  step_questions(const setup_surroundings& around, const wished_steps& proposed)
    : around_(around),
      proposed_(proposed) {}

  bool ask_all() {
    if (!of_settings() || !of_keys() || !of_approvals())
      return false;
    count_ = servers_to_read(find_servers(around_.environment, around_.settings.state_folder));
    return of_catalog() && of_wrappers() && of_sync();
  }

  wished_steps take() && { return std::move(out_); }

private:
  bool of_settings() {
    if (!around_.settings.file.empty())
      return true;
    auto answer = ask("Write " + settings_path(around_.environment)
                        + ", with every setting explained and none of them "
                          "set?",
                      usually(proposed_.settings == settings_wish::explain));
    if (answer && *answer)
      out_.settings = settings_wish::explain;
    return answer.has_value();
  }

  bool of_keys() {
    out_.keys = proposed_.keys;
    if (!out_.keys.empty())
      return true;
    for (int i = 0; i < answers_max; ++i) {
      auto answer = ask_text("Which variable has the key of a model provider, for programs that ask models "
                             "(anthropic=env:NAME; never the key itself; Enter: none)?");
      if (!answer || answer->empty() || *answer == "n" || *answer == "no")
        return answer.has_value();
      auto key = parse_provider_key(*answer, around_.variables);
      if (key.ok()) {
        out_.keys.push_back(std::move(key.value));
        return true;
      }
      print_wrapped(key.error.message);
    }
    return false;
  }

  bool of_approvals() {
    auto waiting = waiting_entries(around_.environment, around_.settings);
    waiting.resize(std::min(waiting.size(), asked_entries_max));
    for (auto& entry : waiting) {
      std::cout << "\n";
      print_entry(entry);
      auto answer = ask("It stands in a file of this project, which others may have written. May it be started as "
                        "shown?",
                        usual_answer::no);
      if (!answer)
        return false;
      if (*answer)
        out_.approved.push_back(std::move(entry));
    }
    return true;
  }

  bool of_catalog() {
    if (count_ == 0)
      return true;
    auto answer = ask("Start your " + std::to_string(count_) + (count_ == 1 ? " server" : " servers")
                        + " once, to read their tools into the catalog?",
                      usually(proposed_.reads_tools));
    out_.reads_tools = answer && *answer;
    return answer.has_value();
  }

  bool of_wrappers() {
    if (count_ == 0 && !proposed_.wrappers)
      return true;
    auto folder =
      folder_for_editors(around_.environment, around_.settings, proposed_.wrappers.value_or(""), file_mode::only_look);
    auto answer = ask("Write the tools of your servers as typed files, by which an editor completes programs, into "
                        + folder + "/wrappers?",
                      usually(proposed_.wrappers.has_value()));
    if (answer && *answer)
      out_.wrappers = proposed_.wrappers.value_or("");
    return answer.has_value();
  }

  bool of_sync() {
    out_.sync = proposed_.sync;
    bool is_said = !proposed_.sync.empty() && proposed_.sync != "daily";
    auto by = around_.sync.usual();
    if (is_said || !by || count_ == 0 || around_.sync.installed())
      return true;
    auto answer = ask(std::string{"Read the tools anew and write these files once a day, by "} + name_of(*by) + "?",
                      usually(!proposed_.sync.empty()));
    if (answer)
      out_.sync = *answer ? "daily" : "";
    return answer.has_value();
  }

  const setup_surroundings& around_;
  const wished_steps& proposed_;
  size_t count_ = 0; ///< servers whose tools can be read
  wished_steps out_;
};

} // namespace

msg::outcome<setup_steps> make_steps(const setup_surroundings& around, wished_steps wished) {
  setup_steps out;
  auto settings = change_settings(around.environment, around.settings, wished.settings, wished.keys);
  if (!settings.ok())
    return std::move(settings.error);
  out.settings = std::move(settings.value);
  if (wished.wrappers)
    out.wrappers = folder_for_editors(around.environment, around.settings, *wished.wrappers, file_mode::only_look);
  bool is_elsewhere = wished.wrappers && !wished.wrappers->empty();
  out.sync = around.sync.plan(wished.sync, around.command, is_elsewhere ? out.wrappers : std::string{});
  out.wished = std::move(wished);
  return out;
}

std::optional<wished_steps> ask_of_steps(const setup_surroundings& around, const wished_steps& proposed) {
  step_questions questions{around, proposed};
  if (!questions.ask_all())
    return std::nullopt;
  return std::move(questions).take();
}

std::optional<wished_steps> ask_of_removal(const setup_surroundings& around) {
  wished_steps out;
  auto by = around.sync.installed();
  if (!by)
    return out;
  auto answer = ask(std::string{"Take the daily sync out of "} + name_of(*by) + "?", usual_answer::yes);
  if (!answer)
    return std::nullopt;
  out.sync = *answer ? "off" : "";
  return out;
}

std::vector<setup::file_change> changes_of(const setup_steps& steps) {
  std::vector<setup::file_change> out;
  if (steps.settings)
    out.push_back(*steps.settings);
  out.insert(out.end(), steps.sync.changes.begin(), steps.sync.changes.end());
  return out;
}

std::vector<std::string> written_of_sync(const setup::written& done, setup_steps& steps) {
  std::vector<std::string> out;
  if (done.folder.empty() && !done.failures.empty() && !steps.sync.changes.empty()) { // the others were not tried
    steps.sync.problem = done.failures.front().why.message;
    return out;
  }
  for (auto& change : steps.sync.changes) {
    auto failed = std::find_if(done.failures.begin(), done.failures.end(),
                               [&](auto& failure) { return failure.path == change.path; });
    if (failed == done.failures.end())
      out.push_back(change.path);
    else if (steps.sync.problem.empty())
      steps.sync.problem = failed->why.message;
  }
  return out;
}

void print_steps(const setup_steps& steps) {
  if (steps.settings && !steps.settings->before)
    print_wrapped("Settings: " + steps.settings->path + " explains every one, and sets "
                  + (steps.wished.keys.empty() ? "none" : "what follows"));
  for (auto& [provider, variable] : steps.wished.keys) {
    auto text = "Settings: the key of " + provider;
    text.append(steps.settings ? " is that in the variable " : " is already that in the variable ").append(variable);
    if (steps.settings && steps.settings->before)
      text.append("; ").append(steps.settings->path);
    print_wrapped(text);
  }
  for (auto& entry : steps.wished.approved)
    print_wrapped("Approval: " + entry.name);
  if (!steps.wrappers.empty())
    print_wrapped("Wrappers for editors: " + steps.wrappers + "/wrappers");
  if (auto text = told(steps.sync); !text.empty())
    print_wrapped(text);
  for (auto& change : steps.sync.changes)
    print_wrapped((change.after ? "writes " : "removes ") + change.path, 2);
}

json::object steps_document(const setup_surroundings& around, const setup_steps& steps) {
  return {{"settings", steps.settings ? json::value(json::string{steps.settings->path}) : json::value(nullptr)},
          {"wrappers", steps.wrappers.empty() ? json::value(nullptr) : json::value(json::string{steps.wrappers})},
          {"sync", around.sync.document(steps.sync)}};
}

} // namespace cli
