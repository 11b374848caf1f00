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

bool is_there(const std::filesystem::path& folder, std::string_view word) {
  std::error_code ec;
  bool says_so = word.starts_with("./") || word.starts_with("../");
  return may_be_relative(word) && (says_so || std::filesystem::exists(folder / word, ec));
}

bool is_any_there(const std::filesystem::path& folder, const std::vector<std::string>& files) {
  return std::any_of(files.begin(), files.end(), [&](auto& file) { return is_there(folder, file); });
}

/// Itself, behind `=`, or as a module of Python.
bool names_something(const std::filesystem::path& folder, const std::string& word) {
  return is_there(folder, word) || is_there(folder, value_in(word)) || is_any_there(folder, files_of_module(word))
         || is_any_there(folder, files_of_module(value_in(word)));
}

/// What managers look at first, where they are started and above.
bool manager_finds_something(const std::filesystem::path& folder, const std::vector<std::string>& words) {
  std::vector<std::string> files;
  for (auto& word : words) {
    auto name = program_called(word);
    bool is_package_manager = is_among(name, package_managers);
    bool runs_packages = name == "npx" || name == "bunx" || name == "pnpx" || name == "npx-cli.js";
    if (is_package_manager && !runs_packages)
      files.push_back("package.json");
    if (is_among(name, python_managers) && name != "uvx" && name != "pipx")
      files.insert(files.end(), std::begin(python_files), std::end(python_files));
    for (auto& task : task_files)
      if (task.program == name && (name != "docker" || is_among("compose", words)))
        files.push_back(task.file);
    if (is_package_manager || runs_packages)
      for (auto& package : words)
        files.push_back("node_modules/.bin/" + package.substr(0, package.find('@', 1)));
  }
  auto at = folder;
  for (size_t i = 0; !files.empty() && at.has_relative_path() && i < folders_above_max; ++i, at = at.parent_path())
    if (is_any_there(at, files))
      return true;
  return false;
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

/// Where it can not be told it does.
bool depends_on(const std::filesystem::path& folder, const msg::server_entry& entry) {
  std::vector<std::string> words{entry.command};
  words.insert(words.end(), entry.args.begin(), entry.args.end());
  bool is_relative = !entry.env_file.empty() && may_be_relative(entry.env_file);
  return words.size() > looked_for_words_max || is_relative || is_decided_by_variables(entry)
         || texts_among(words, {}).is_any
         || std::any_of(words.begin(), words.end(), [&](auto& word) { return names_something(folder, word); })
         || manager_finds_something(folder, words);
}

} // namespace

std::string scope_of(const server_source& source, const msg::server_entry& entry, const environment& env) {
  auto* keys = source.client.container;
  bool is_of_project =
    source.of_project || (keys && std::string_view{keys}.find("{project}") != std::string_view::npos);
  if (is_of_project || (!entry.cwd.empty() && !std::filesystem::path{entry.cwd}.is_absolute()))
    return env.cwd;
  if (!entry.cwd.empty() || env.cwd.empty())
    return {};
  return depends_on(env.cwd, entry) ? env.cwd : std::string{};
}

} // namespace config
