#include "config/entry_scope.hpp"

#include "config/command_texts.hpp"
#include "config/command_words.hpp"
#include "config/known_programs.hpp"
#include "config/shell_programs.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <string_view>
#include <system_error>
#include <unordered_set>
#include <vector>

namespace config {

namespace {

/// Words that are looked for as files. Who has more has a scope.
constexpr size_t looked_for_words_max = 64;
constexpr size_t relative_word_bytes_max = 1'024;
constexpr size_t folders_above_max = 32;

bool may_be_relative(std::string_view word) {
  return !word.empty() && word.size() <= relative_word_bytes_max && word.find('\0') == word.npos
         && std::string_view{"/~$-@"}.find(word.front()) == std::string_view::npos;
}

/// Says by its variables what is loaded, or where programs are.
bool is_decided_by_variables(const msg::server_entry& entry) {
  return std::any_of(entry.env.begin(), entry.env.end(), [](auto& variable) {
    auto& [name, value] = variable;
    bool is_relative_path = name == "PATH" && !value.starts_with('/') && !value.starts_with('$');
    return is_relative_path || names_code(name) || (name == "PATH" && value.find(":.") != value.npos)
           || (name == "PATH" && value.find("node_modules") != value.npos);
  });
}

/// Some of it may be a text for a shell.
bool may_hold_text(const std::vector<std::string>& words) {
  return std::any_of(words.begin(), words.end(), [](auto& word) {
    return word.find_first_of(" \t\n;&|") != word.npos || kind_of_shell(word) != shell_kind::none;
  });
}

/// All of which `add_files_of` knows something.
const std::unordered_set<std::string_view>& managers() {
  static const auto all = [] {
    std::unordered_set<std::string_view> out{std::begin(package_managers), std::end(package_managers)};
    out.insert(std::begin(python_managers), std::end(python_managers));
    for (auto& task : task_files)
      for_each_of(task.programs, [&](auto program) { out.insert(program); });
    return out;
  }();
  return all;
}

/// Of a manager that is among `words`: what it looks at first, and what it runs of `node_modules`.
void add_files_of(std::string_view manager, const std::vector<std::string>& words, std::vector<std::string>& files,
                  std::vector<std::string>& packages) {
  bool is_package_manager = is_among(manager, package_managers);
  bool runs_packages = manager == "npx" || manager == "bunx" || manager == "pnpx" || manager == "npx-cli.js";
  if (is_package_manager && !runs_packages)
    files.push_back("package.json");
  if (is_among(manager, python_managers) && manager != "uvx" && manager != "pipx")
    files.insert(files.end(), std::begin(python_files), std::end(python_files));
  for (auto& task : task_files)
    if (is_listed(manager, task.programs) && (manager != "docker" || is_among("compose", words)))
      for_each_of(task.files, [&](auto file) { files.emplace_back(file); });
  if (is_package_manager)
    for (auto& package : words)
      packages.push_back("node_modules/.bin/" + package.substr(0, package.find('@', 1)));
}

} // namespace

bool entry_scopes::is_there(const std::filesystem::path& folder, std::string_view word) {
  if (!may_be_relative(word))
    return false;
  if (word.starts_with("./") || word.starts_with("../"))
    return true;
  std::error_code ec;
  auto first = word.substr(0, word.find('/'));
  auto [known, is_new] = first_parts_.try_emplace(folder.native() + '/' + std::string{first});
  if (is_new)
    known->second = std::filesystem::exists(known->first, ec);
  return known->second && (first.size() == word.size() || std::filesystem::exists(folder / word, ec));
}

bool entry_scopes::is_any_there(const std::filesystem::path& folder, const std::vector<std::string>& files) {
  return std::any_of(files.begin(), files.end(), [&](auto& file) { return is_there(folder, file); });
}

/// Itself, behind `=`, or as a module of Python.
bool entry_scopes::names_something(const std::string& word) {
  auto [known, is_new] = words_.try_emplace(word);
  if (is_new)
    known->second = is_there(cwd_, word) || is_there(cwd_, value_in(word)) || is_any_there(cwd_, files_of_module(word))
                    || is_any_there(cwd_, files_of_module(value_in(word)));
  return known->second;
}

/// In the folder that it is started in, and above.
bool entry_scopes::manager_finds_something(const std::vector<std::string>& words) {
  std::vector<std::string> files, packages;
  for (auto& word : words)
    if (auto program = program_called(word); managers().contains(program))
      add_files_of(program, words, files, packages);
  if (files.empty() && packages.empty())
    return false;
  auto at = cwd_;
  for (size_t i = 0; at.has_relative_path() && i < folders_above_max; ++i, at = at.parent_path())
    if (is_any_there(at, files) || (!packages.empty() && is_there(at, "node_modules") && is_any_there(at, packages)))
      return true;
  return false;
}

/// Where it can not be told it does.
bool entry_scopes::depends_on_folder(const msg::server_entry& entry) {
  std::vector<std::string> words{entry.command};
  words.insert(words.end(), entry.args.begin(), entry.args.end());
  bool is_relative = !entry.env_file.empty() && may_be_relative(entry.env_file);
  return words.size() > looked_for_words_max || is_relative || is_decided_by_variables(entry)
         || (may_hold_text(words) && texts_among(words, {}).is_any)
         || std::any_of(words.begin(), words.end(), [&](auto& word) { return names_something(word); })
         || manager_finds_something(words);
}

std::string entry_scopes::of(const server_source& source, const msg::server_entry& entry) {
  auto* keys = source.client.container;
  bool is_of_project =
    source.of_project || (keys && std::string_view{keys}.find("{project}") != std::string_view::npos);
  if (is_of_project || (!entry.cwd.empty() && !std::filesystem::path{entry.cwd}.is_absolute()))
    return env_.cwd;
  if (!entry.cwd.empty() || env_.cwd.empty())
    return {};
  return depends_on_folder(entry) ? env_.cwd : std::string{};
}

} // namespace config
