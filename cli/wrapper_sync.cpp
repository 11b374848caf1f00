#include "cli/wrapper_sync.hpp"

#include "cli/complain.hpp"
#include "cli/index.hpp"
#include "cli/print_document.hpp"
#include "cli/probe.hpp"
#include "cli/server_wrappers.hpp"
#include "cli/sync_record.hpp"
#include "messages/servers.hpp"
#include "setup/user_file.hpp"
#include "text/printable.hpp"

#include <boost/json/array.hpp>

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <iostream>
#include <utility>
#include <vector>

namespace cli {

namespace json = boost::json;
namespace fs = std::filesystem;

namespace {

json::array strings(const std::vector<std::string>& texts) { return json::array(texts.begin(), texts.end()); }

/// On stderr: whose files are not made, and what to do.
void tell(const server_wrappers& made, output_form form) {
  for (auto& problem : made.problems)
    complain(problem, EXIT_SUCCESS);
  if (form == output_form::json)
    return;
  if (!made.not_indexed.empty())
    std::cerr << text::printable("The tools of these servers are not known yet: " + joined(made.not_indexed)
                                 + "; `code-executor index` reads them.")
              << "\n";
  for (auto& name : made.unapproved)
    std::cerr << text::printable("The entry of server '" + name + "' needs approval: " + msg::command_to_trust(name))
              << "\n";
}

/// What was done, and with which end.
struct sync_end {
  file_changes changes;
  std::string error; ///< empty: all of it
};

/// The fault: nothing was written, or not all.
msg::outcome<sync_end> write_wrappers(server_wrappers& made, const editor_outlook& of) {
  sweeping sweep{{std::string{editors::typescript_folder}, std::string{editors::python_folder},
                  std::string{editors::stubs_folder}, std::string{editors::server_stubs_folder}},
                 made.kept};
  bool is_unsure = false;
  if (!made.problems.empty()) { // a file that can not be read may be where those that seem gone are configured
    auto changes = write_generated(of.folder, made.files, sweep, file_mode::only_look);
    is_unsure = changes.ok() && !changes.value.removed.empty();
  }
  sync_end out;
  if (is_unsure) {
    sweep = {};
    std::erase_if(made.files, [](auto& file) { return file.path == editors::index_path(); });
    out.error =
      "files of servers that are not configured any more stay, because of problems of the configuration or the catalog";
  }
  auto changes = write_generated(of.folder, made.files, sweep, of.mode);
  if (!changes.ok())
    return std::move(changes.error);
  out.changes = std::move(changes.value);
  return out;
}

void keep_record(const config::settings& settings, const editor_outlook& of, const file_changes& changes,
                 std::string error) {
  if (of.mode == file_mode::write)
    keep_sync_record(settings.state_folder, {static_cast<int64_t>(std::time(nullptr)), of.folder, changes.added,
                                             changes.written.size() - changes.added, changes.removed.size(),
                                             changes.unchanged, std::move(error)});
}

} // namespace

std::string folder_for_editors(const config::environment& environment, const config::settings& settings,
                               const std::string& named, file_mode mode) {
  auto& folder = named.empty() ? settings.state_folder : named;
  if (folder.empty())
    return {};
  auto out = (fs::path{environment.cwd} / folder).lexically_normal().string();
  while (out.size() > 1 && out.ends_with('/'))
    out.pop_back();
  if (named.empty() && mode == file_mode::write) {
    std::vector<std::string> made;
    setup::make_folders(out, made); // what can not be made is told by what is written there
  }
  return out;
}

json::object changes_document(const file_changes& changes, const editor_outlook& of) {
  json::object out{{"folder", of.folder},
                   {"written", strings(changes.written)},
                   {"removed", strings(changes.removed)},
                   {"unchanged", changes.unchanged}};
  if (of.mode == file_mode::only_look)
    out["dryRun"] = true;
  return out;
}

void print_changes(const file_changes& changes, const editor_outlook& of) {
  bool looks = of.mode == file_mode::only_look;
  for (auto& path : changes.written)
    std::cout << (looks ? "would write " : "written ") << text::printable(of.folder + "/" + path) << "\n";
  for (auto& path : changes.removed)
    std::cout << (looks ? "would remove " : "removed ") << text::printable(of.folder + "/" + path) << "\n";
  if (changes.written.empty() && changes.removed.empty())
    std::cout << "all " << changes.unchanged << " files in " << text::printable(of.folder)
              << " are as they should be\n";
}

int sync_wrappers(const config::environment& environment, const config::settings& settings,
                  const config::variable_lookup& variables, const editor_outlook& of, tools_from from) {
  auto of_index = EXIT_SUCCESS;
  if (from == tools_from::servers && of.mode == file_mode::write)
    of_index = index_servers(environment, settings, variables, {},
                             of.form == output_form::text ? output_form::text : output_form::none);
  auto made = make_server_wrappers(environment, settings, of.folder);
  auto done = made.ok() ? write_wrappers(made.value, of) : msg::outcome<sync_end>{made.error};
  if (!done.ok()) {
    keep_record(settings, of, {}, done.error.message);
    return complain("sync-wrappers: " + done.error.message, EXIT_FAILURE);
  }
  auto& [changes, error] = done.value;
  if (!error.empty())
    complain("sync-wrappers: " + error, EXIT_FAILURE);
  if (error.empty() && of_index != EXIT_SUCCESS)
    error = "the tools of some servers could not be read; `code-executor index` says why";
  keep_record(settings, of, changes, error);
  tell(made.value, of.form);
  if (of.form == output_form::text)
    print_changes(changes, of);
  if (of.form == output_form::json) {
    auto out = changes_document(changes, of);
    out["notIndexed"] = strings(made.value.not_indexed);
    out["needApproval"] = strings(made.value.unapproved);
    print_document(out);
  }
  return error.empty() ? EXIT_SUCCESS : EXIT_FAILURE;
}

} // namespace cli
