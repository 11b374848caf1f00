#include "cli/memory.hpp"

#include "cli/exit_codes.hpp"
#include "cli/print_document.hpp"
#include "proxy/memory/store.hpp"
#include "text/printable.hpp"
#include "text/utf8.hpp"

#include <CLI/CLI.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <unistd.h>
#include <vector>

namespace cli {

namespace json = boost::json;
using memory::kept;
using memory::kept_kind;
using memory::kept_state;

namespace {

constexpr size_t shown_name_bytes_max = 200;

/// Names are programs' texts: they may not speak to the terminal.
std::string shown(const std::string& text) { return text::printable(text::quoted(text, shown_name_bytes_max)); }

/// What a program has kept, line by line: a file gets it as it is, a terminal nothing that it obeys.
void print_content(const std::string& text) {
  bool is_terminal = ::isatty(STDOUT_FILENO) != 0;
  std::istringstream lines{text};
  for (std::string line; is_terminal && std::getline(lines, line);)
    std::cout << text::printable(line) << "\n";
  if (!is_terminal)
    std::cout << text << "\n";
}

const char* kind_of(const kept& k) { return k.kind == kept_kind::tool ? "tool" : "memory"; }

std::string owner_of(const kept& k) {
  if (k.state == kept_state::unclaimed)
    return "unclaimed, offered to nobody";
  auto by = shown(k.scope.client) + " in " + shown(k.scope.project);
  return k.state == kept_state::shared ? "shared by you, from " + by : by;
}

int complain_in_lines(const std::string& what, int code) {
  std::cerr << "code-executor: " << what << "\n";
  return code;
}

void print_json(const std::vector<kept>& all) {
  json::array out;
  for (auto& k : all)
    out.push_back(json::object{{"kind", kind_of(k)},
                               {"name", text::valid_utf8(k.name)},
                               {"client", text::valid_utf8(k.scope.client)},
                               {"project", text::valid_utf8(k.scope.project)},
                               {"shared", k.state == kept_state::shared},
                               {"unclaimed", k.state == kept_state::unclaimed},
                               {"updatedAt", k.updated_at},
                               {"bytes", k.bytes}});
  print_document(out);
}

void print(const std::vector<kept>& all, output_form form) {
  if (form == output_form::json)
    return print_json(all);
  for (auto& k : all)
    std::cout << kind_of(k) << "  " << shown(k.name) << "  " << k.bytes << " bytes  " << k.updated_at << "  "
              << owner_of(k) << "\n";
  if (all.empty())
    std::cout << "programs have kept nothing\n";
}

bool is_meant(const kept& k, const memory_choice& choice) {
  bool is_of_kind =
    choice.is_all ? !choice.is_tool || k.kind == kept_kind::tool : (k.kind == kept_kind::tool) == choice.is_tool;
  return (choice.name.empty() || k.name == choice.name) && is_of_kind
         && (choice.client.empty() || k.scope.client == choice.client)
         && (choice.project.empty() || k.scope.project == choice.project)
         && (!choice.is_unclaimed || k.state == kept_state::unclaimed);
}

/// One, or a complaint.
int pick(const std::vector<kept>& all, const memory_choice& choice, bool is_shared, kept& out) {
  std::vector<kept> meant;
  std::copy_if(all.begin(), all.end(), std::back_inserter(meant),
               [&](auto& k) { return is_meant(k, choice) && (k.state == kept_state::shared) == is_shared; });
  auto what = std::string{choice.is_tool ? "saved tool" : "memory key"} + " '" + shown(choice.name) + "'";
  if (meant.empty())
    return complain_in_lines("no " + what + (is_shared ? " is shared" : " is kept")
                               + "; `code-executor memory list` shows what there is"
                               + (choice.is_tool ? "" : ", and --tool means a saved tool"),
                             exit_wrong_use);
  if (meant.size() > 1) {
    std::string owners;
    for (auto& k : meant)
      owners += "\n  " + owner_of(k);
    return complain_in_lines("there is more than one " + what
                               + "; say which with --client, --project or --unclaimed:" + owners,
                             exit_wrong_use);
  }
  out = meant.front();
  return EXIT_SUCCESS;
}

int share_unclaimed(memory::store& store, const std::vector<kept>& all) {
  size_t shared = 0;
  for (auto& k : all) {
    if (k.state != kept_state::unclaimed)
      continue;
    if (auto why = store.share(k); why.code != msg::errc::none)
      return complain_in_lines(why.message, EXIT_FAILURE);
    ++shared;
  }
  std::cout << shared << " shared with all programs\n";
  return EXIT_SUCCESS;
}

int remove(memory::store& store, const std::vector<kept>& which, output_form form) {
  auto gone = store.remove(which);
  if (!gone.ok())
    return complain_in_lines(gone.error.message, EXIT_FAILURE);
  if (form == output_form::json)
    return print_json(gone.value), EXIT_SUCCESS;
  for (auto& k : gone.value)
    std::cout << "deleted " << kind_of(k) << " " << shown(k.name) << "  " << k.bytes << " bytes  " << owner_of(k)
              << "\n";
  if (gone.value.empty())
    std::cout << "nothing of that is kept\n";
  return EXIT_SUCCESS;
}

/// What is shared, a person has wanted there: it is taken back first.
int remove_all(memory::store& store, const std::vector<kept>& all, const memory_choice& choice, output_form form) {
  std::vector<kept> meant;
  std::copy_if(all.begin(), all.end(), std::back_inserter(meant),
               [&](auto& k) { return k.state != kept_state::shared && is_meant(k, choice); });
  return remove(store, meant, form);
}

} // namespace

memory_words::memory_words(CLI::App& app) {
  command_ = app.add_subcommand("memory", "see what programs have kept, share it with others, delete it");
  command_->require_subcommand(1);
  list_ = command_->add_subcommand("list", "all memory keys and saved tools, and whose they are");
  list_->add_flag("--json", as_json_, "print one JSON document");
  show_ = command_->add_subcommand("show", "print a value, or the source of a saved tool");
  share_ = command_->add_subcommand("share", "offer it, as it is now, to the programs of all clients and projects");
  unshare_ = command_->add_subcommand("unshare", "offer it to nobody but its owner again");
  delete_ =
    command_->add_subcommand("delete", "delete it at once, also while its owner is there; what is shared stays");
  for (auto* word : {show_, share_, unshare_, delete_}) {
    word->add_option("name", choice_.name, "memory key, or name of a saved tool");
    word->add_flag("--tool", choice_.is_tool, "a saved tool is meant");
    word->add_option("--client", choice_.client, "of that client");
    word->add_option("--project", choice_.project, "of the project in that folder");
  }
  delete_->add_flag("--all", choice_.is_all,
                    "all of it, values and tools, or what --tool, --client, --project and --unclaimed leave of it");
  delete_->add_flag("--json", as_json_, "print one JSON document, of what was deleted");
  for (auto* word : {show_, share_, delete_})
    word->add_flag("--unclaimed", choice_.is_unclaimed,
                   "what an older version kept, which knew no owners; share: all of it if there is no name");
}

bool memory_words::wanted() const { return command_->parsed(); }

int memory_words::run(const config::settings& settings) const {
  memory::store store{settings.state_folder};
  auto all = store.all();
  if (!all.ok())
    return complain_in_lines(all.error.message, EXIT_FAILURE);
  auto form = as_json_ ? output_form::json : output_form::text;
  if (list_->parsed())
    return print(all.value, form), EXIT_SUCCESS;
  if (choice_.is_all && !choice_.name.empty())
    return complain_in_lines("either a name or --all", exit_wrong_use);
  if (choice_.is_all)
    return remove_all(store, all.value, choice_, form);
  if (choice_.name.empty() && share_->parsed() && choice_.is_unclaimed)
    return share_unclaimed(store, all.value);
  if (choice_.name.empty())
    return complain_in_lines("which one? `code-executor memory list` shows what there is"
                               + std::string{delete_->parsed() ? "; --all means all of it" : ""},
                             exit_wrong_use);
  kept chosen;
  if (auto code = pick(all.value, choice_, unshare_->parsed(), chosen); code != EXIT_SUCCESS)
    return code;
  if (delete_->parsed())
    return remove(store, {chosen}, form);
  if (show_->parsed()) {
    auto text = store.content(chosen);
    if (!text.ok())
      return complain_in_lines(text.error.message, EXIT_FAILURE);
    print_content(text.value);
    return EXIT_SUCCESS;
  }
  auto why = share_->parsed() ? store.share(chosen) : store.take_back(chosen);
  if (why.code != msg::errc::none)
    return complain_in_lines(why.message, EXIT_FAILURE);
  std::cout << kind_of(chosen) << " " << shown(chosen.name)
            << (share_->parsed() ? " is shared with all programs\n" : " is not shared any more\n");
  return EXIT_SUCCESS;
}

} // namespace cli
