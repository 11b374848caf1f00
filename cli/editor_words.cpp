#include "cli/editor_words.hpp"

#include "cli/complain.hpp"
#include "cli/exit_codes.hpp"
#include "cli/generated_files.hpp"
#include "cli/print_document.hpp"
#include "cli/probe.hpp"
#include "cli/server_wrappers.hpp"
#include "config/file_text.hpp"
#include "messages/servers.hpp"
#include "process/find_executable.hpp"
#include "proxy/editors/guest_api.hpp"
#include "sandbox/runtimes/runtime.hpp"
#include "text/printable.hpp"

#include <CLI/CLI.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <sys/stat.h>
#include <utility>

namespace cli {

namespace json = boost::json;
namespace fs = std::filesystem;

namespace {

/// Of a guest file: ten times what the longest one has.
constexpr size_t api_bytes_max = 256u << 10;

struct outlook {
  std::string folder;
  file_mode mode;
  output_form form;
};

json::array strings(const std::vector<std::string>& texts) { return json::array(texts.begin(), texts.end()); }

json::object document(const file_changes& changes, const outlook& of) {
  json::object out{{"folder", of.folder},
                   {"written", strings(changes.written)},
                   {"removed", strings(changes.removed)},
                   {"unchanged", changes.unchanged}};
  if (of.mode == file_mode::only_look)
    out["dryRun"] = true;
  return out;
}

void print_text(const file_changes& changes, const outlook& of) {
  bool looks = of.mode == file_mode::only_look;
  for (auto& path : changes.written)
    std::cout << (looks ? "would write " : "written ") << text::printable(of.folder + "/" + path) << "\n";
  for (auto& path : changes.removed)
    std::cout << (looks ? "would remove " : "removed ") << text::printable(of.folder + "/" + path) << "\n";
  if (changes.written.empty() && changes.removed.empty())
    std::cout << "all " << changes.unchanged << " files in " << text::printable(of.folder)
              << " are as they should be\n";
}

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

int write_wrappers(const config::environment& environment, const config::settings& settings, const outlook& of) {
  auto made = make_server_wrappers(environment, settings, of.folder);
  if (!made.ok())
    return complain("sync-wrappers: " + made.error.message, EXIT_FAILURE);
  sweeping sweep{{std::string{editors::typescript_folder}, std::string{editors::python_folder}}, made.value.kept};
  bool is_unsure = false;
  if (!made.value.problems.empty()) { // a file that can not be read may be where those that seem gone are configured
    auto changes = write_generated(of.folder, made.value.files, sweep, file_mode::only_look);
    is_unsure = changes.ok() && !changes.value.removed.empty();
  }
  if (is_unsure) {
    sweep = {};
    std::erase_if(made.value.files, [](auto& file) { return file.path == editors::index_path(); });
    complain("sync-wrappers: files of servers that are not configured any more stay, because of the problems below", 1);
  }
  auto changes = write_generated(of.folder, made.value.files, sweep, of.mode);
  if (!changes.ok())
    return complain("sync-wrappers: " + changes.error.message, EXIT_FAILURE);
  tell(made.value, of.form);
  if (of.form == output_form::text) {
    print_text(changes.value, of);
    return is_unsure ? EXIT_FAILURE : EXIT_SUCCESS;
  }
  auto out = document(changes.value, of);
  out["notIndexed"] = strings(made.value.not_indexed);
  out["needApproval"] = strings(made.value.unapproved);
  print_document(out);
  return is_unsure ? EXIT_FAILURE : EXIT_SUCCESS;
}

int write_types(const outlook& of) {
  auto guest = sandbox::find_guest_files(fs::path{process::own_executable()}.parent_path().string());
  std::string texts[2];
  std::string_view sources[] = {editors::typescript_source, editors::python_source};
  for (size_t i = 0; i < 2; ++i) {
    auto path = guest + "/" + std::string{sources[i]};
    auto read = config::read_file_text(path, api_bytes_max);
    if (!read.exists || read.error.code != msg::errc::none)
      return complain("types: the guest files are incomplete: " + path
                        + " can not be read; install code-executor again",
                      EXIT_FAILURE);
    texts[i] = std::move(read.text);
  }
  auto typescript = editors::typescript_api(texts[0]);
  if (typescript.text.empty())
    return complain("types: the guest files are of another version; install code-executor again", EXIT_FAILURE);
  auto changes = write_generated(of.folder, {std::move(typescript), editors::python_api(texts[1])}, {}, of.mode);
  if (!changes.ok())
    return complain("types: " + changes.error.message, EXIT_FAILURE);
  if (of.form == output_form::json)
    print_document(document(changes.value, of));
  else
    print_text(changes.value, of);
  return EXIT_SUCCESS;
}

} // namespace

editor_words::editor_words(CLI::App& app, bool& as_json)
  : wrappers_(app.add_subcommand(
    "sync-wrappers", "write the tools of your servers as TypeScript and Python, for editors: wrappers/ in the folder")),
    types_(app.add_subcommand("types", "write the functions that programs find, for editors: code-executor.d.ts and "
                                       "code_executor.pyi in the folder")) {
  for (auto* word : {wrappers_, types_}) {
    word->add_option("folder", folder_, "where; without it: the state folder, ~/.code-executor")->type_name("FOLDER");
    word->add_flag("--dry-run", only_looks_, "say what would be written, and write nothing");
    word->add_flag("--json", as_json, "print one JSON document");
  }
  wrappers_->footer("Example: code-executor sync-wrappers . --dry-run");
  types_->footer("Example: code-executor types .");
}

bool editor_words::wanted() const { return wrappers_->parsed() || types_->parsed(); }

int editor_words::run(const config::environment& environment, const config::settings& settings,
                      output_form form) const {
  auto verb = std::string{wrappers_->parsed() ? "sync-wrappers" : "types"};
  auto folder = folder_.empty() ? settings.state_folder : folder_;
  if (folder.empty())
    return complain(verb + ": there is no state folder: HOME is not set; name a folder", exit_wrong_use);
  outlook of{(fs::path{environment.cwd} / folder).lexically_normal().string(),
             only_looks_ ? file_mode::only_look : file_mode::write, form};
  while (of.folder.size() > 1 && of.folder.ends_with('/'))
    of.folder.pop_back();
  if (folder_.empty() && !only_looks_) { // the state is for its owner alone
    std::error_code ec;
    fs::create_directories(fs::path{of.folder}.parent_path(), ec);
    ::mkdir(of.folder.c_str(), 0700);
  }
  return wrappers_->parsed() ? write_wrappers(environment, settings, of) : write_types(of);
}

} // namespace cli
