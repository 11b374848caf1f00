#include "cli/shell_words.hpp"

#include "cli/completion.hpp"
#include "cli/known_tools.hpp"
#include "cli/manual.hpp"
#include "cli/probe.hpp"
#include "cli/reference.hpp"
#include "config/settings.hpp"

#include <CLI/CLI.hpp>
#include <boost/json/object.hpp>
#include <spdlog/spdlog.h>

#include <cstdlib>
#include <iostream>
#include <string_view>
#include <utility>

namespace cli {

namespace {

constexpr std::string_view bash_script = R"(# code-executor completion bash: put this line into ~/.bashrc
#   source <(code-executor completion bash)
_code_executor() {
  local lines
  mapfile -t lines < <(command code-executor complete bash -- "${COMP_LINE:0:COMP_POINT}" 2>/dev/null)
  COMPREPLY=("${lines[@]:1}")
  case ${lines[0]-} in
    files) compopt -o default ;;
    folders) compopt -o dirnames ;;
    beginnings) compopt -o nospace ;;
  esac
}
complete -F _code_executor code-executor
)";

constexpr std::string_view zsh_script = R"(#compdef code-executor
# code-executor completion zsh: save this as a file _code-executor in a folder of $fpath, or put this line into ~/.zshrc
#   source <(code-executor completion zsh)
_code-executor() {
  local line
  local -a lines names shown more
  lines=("${(@f)$(command code-executor complete words -- "${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
  case ${lines[1]} in
    files) _files ;;
    folders) _files -/ ;;
    beginnings) more=(-S '') ;;
  esac
  for line in "${(@)lines[2,-1]}"; do
    names+=("${line%%$'\t'*}")
    shown+=("${line/$'\t'/  -- }")
  done
  (( ${#names} )) && compadd "${(@)more}" -l -d shown -a names
}
if [ "$funcstack[1]" = "_code-executor" ]; then _code-executor "$@"; else compdef _code-executor code-executor; fi
)";

constexpr std::string_view fish_script =
  R"(# code-executor completion fish: save this as ~/.config/fish/completions/code-executor.fish
function __code_executor_complete
    set -l before (commandline -opc)
    set -l current (commandline -ct)
    set -l lines (command code-executor complete words -- $before[2..-1] "$current" 2>/dev/null)
    switch "$lines[1]"
        case files
            __fish_complete_path "$current"
        case folders
            __fish_complete_directories "$current"
    end
    for line in $lines[2..-1]
        echo $line
    end
end
complete -c code-executor -f -a '(__code_executor_complete)'
)";

std::string_view script_of(const std::string& shell) {
  return shell == "bash" ? bash_script : shell == "zsh" ? zsh_script : fish_script;
}

/// The names of the user's servers and tools, looked up when they are needed.
class configured_names {
public:
  configured_names(const config::environment& environment, const config::variable_lookup& variables)
    : environment_(environment),
      settings_(config::load_settings(environment, variables)) {
    environment_.mcp_config_path = settings_.value.servers_file;
  }

  name_source source() {
    if (!settings_.ok())
      return {};
    return {[this] { return servers(); }, [this](auto& server) { return tools(server); },
            [this](auto& server, auto& tool) { return parameters(server, tool); }};
  }

private:
  const std::vector<msg::server_entry>& entries() {
    if (entries_.empty())
      entries_ = find_servers(environment_, settings_.value.state_folder).entries;
    return entries_;
  }

  std::vector<std::string> servers() {
    std::vector<std::string> out;
    for (auto& entry : entries())
      out.push_back(entry.name);
    return out;
  }

  std::vector<std::string> tools(const std::string& server) {
    auto known = known_tools(settings_.value, entries());
    msg::catalog_request ask;
    ask.operation = msg::catalog_operation::servers;
    for (auto& each : known.answer(ask).servers)
      if (each.name == server)
        return each.tools;
    return {};
  }

  std::vector<std::string> parameters(const std::string& server, const std::string& tool) {
    auto known = known_tools(settings_.value, entries());
    msg::catalog_request ask;
    ask.operation = msg::catalog_operation::resolve;
    ask.server = server;
    ask.tool = tool;
    std::vector<std::string> out;
    auto found = known.answer(ask);
    auto* definition = found.tool.definition.value().if_object();
    auto* schema = definition ? definition->if_contains("inputSchema") : nullptr;
    auto* all = schema && schema->is_object() ? schema->get_object().if_contains("properties") : nullptr;
    if (all && all->is_object())
      for (auto& each : all->get_object())
        out.emplace_back(each.key());
    return out;
  }

  config::environment environment_;
  msg::outcome<config::settings> settings_;
  std::vector<msg::server_entry> entries_;
};

const char* to_string(offer_kind kind) {
  switch (kind) {
    case offer_kind::words: return "words";
    case offer_kind::beginnings: return "beginnings";
    case offer_kind::files: return "files";
    case offer_kind::folders: return "folders";
  }
  return "words";
}

void print_for_bash(const verb_words& root, const std::string& line, const name_source& names) {
  auto typed = read_line(line);
  auto found = complete(root, typed.words, names);
  std::cout << to_string(found.kind) << "\n";
  for (auto& each : found.candidates)
    if (auto word = for_bash(each.word, typed); !word.empty())
      std::cout << word << "\n";
}

/// For shells that quote by themselves, and show what a word is about.
void print_words(const verb_words& root, const std::vector<std::string>& typed, const name_source& names) {
  auto found = complete(root, typed, names);
  std::cout << to_string(found.kind) << "\n";
  for (auto& each : found.candidates)
    std::cout << each.word << (each.about.empty() ? "" : "\t") << each.about << "\n";
}

} // namespace

shell_words::shell_words(CLI::App& app)
  : app_(app),
    completion_(app.add_subcommand("completion", "print what makes a shell complete these commands, and the names of "
                                                 "your servers and tools")),
    complete_(app.add_subcommand("complete", "print what may stand for the last of these words")->group("")),
    manual_(app.add_subcommand("manual", "print the man page, in roff")->group("")) {
  completion_->add_option("shell", shell_, "bash, zsh or fish")
    ->required()
    ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  completion_->footer("Example: source <(code-executor completion bash)");
  complete_->add_option("form", form_, "bash: the line; words: each of them")
    ->required()
    ->check(CLI::IsMember({"bash", "words"}));
  manual_->add_option("--reference", page_, "instead: a page of docs/reference, in Markdown")
    ->check(CLI::IsMember(reference_pages()));
  complete_->add_option("typed", typed_, "what was typed, up to the cursor");
}

bool shell_words::wanted() const { return completion_->parsed() || complete_->parsed() || manual_->parsed(); }

int shell_words::run(const config::environment& environment, const config::variable_lookup& variables) const {
  if (completion_->parsed()) {
    std::cout << script_of(shell_);
    return EXIT_SUCCESS;
  }
  auto root = words_of(app_);
  if (manual_->parsed()) {
    std::cout << (page_.empty() ? manual_page(root, CODE_EXECUTOR_VERSION) : reference_page(page_, root));
    return EXIT_SUCCESS;
  }
  spdlog::set_level(spdlog::level::off); // a person is typing
  configured_names names{environment, variables};
  if (form_ == "bash")
    print_for_bash(root, typed_.empty() ? std::string{} : typed_.front(), names.source());
  else
    print_words(root, typed_, names.source());
  return EXIT_SUCCESS;
}

} // namespace cli
