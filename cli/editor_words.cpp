#include "cli/editor_words.hpp"

#include "cli/complain.hpp"
#include "cli/exit_codes.hpp"
#include "cli/generated_files.hpp"
#include "cli/print_document.hpp"
#include "cli/wrapper_sync.hpp"
#include "config/file_text.hpp"
#include "process/find_executable.hpp"
#include "proxy/editors/guest_api.hpp"
#include "sandbox/runtimes/runtime.hpp"

#include <CLI/CLI.hpp>

#include <cstdlib>
#include <filesystem>
#include <utility>

namespace cli {

namespace fs = std::filesystem;

namespace {

/// Of a guest file: ten times what the longest one has.
constexpr size_t api_bytes_max = 256u << 10;

int write_types(const editor_outlook& of) {
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
    print_document(changes_document(changes.value, of));
  else
    print_changes(changes.value, of);
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
  auto* index =
    wrappers_->add_flag("--index", reads_tools_, "first start the servers once, and read their tools into the catalog");
  index->excludes(wrappers_->get_option("--dry-run"));
  wrappers_->footer("Example: code-executor sync-wrappers . --dry-run");
  types_->footer("Example: code-executor types .");
}

bool editor_words::wanted() const { return wrappers_->parsed() || types_->parsed(); }

int editor_words::run(const config::environment& environment, const config::settings& settings,
                      const config::variable_lookup& variables, output_form form) const {
  auto mode = only_looks_ ? file_mode::only_look : file_mode::write;
  editor_outlook of{folder_for_editors(environment, settings, folder_, mode), mode, form};
  if (of.folder.empty())
    return complain(std::string{wrappers_->parsed() ? "sync-wrappers" : "types"}
                      + ": there is no state folder: HOME is not set; name a folder",
                    exit_wrong_use);
  if (types_->parsed())
    return write_types(of);
  return sync_wrappers(environment, settings, variables, of, reads_tools_ ? tools_from::servers : tools_from::catalog);
}

} // namespace cli
