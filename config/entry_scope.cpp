#include "config/entry_scope.hpp"

#include "config/command_texts.hpp"
#include "config/command_words.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <vector>

namespace config {

namespace {

/// Words that are looked for as files. Who has more has a scope.
constexpr size_t looked_for_words_max = 64;
constexpr size_t relative_word_bytes_max = 1'024;

bool may_be_relative(std::string_view word) {
  return !word.empty() && word.size() <= relative_word_bytes_max && word.find('\0') == word.npos
         && std::string_view{"/~$-@"}.find(word.front()) == std::string_view::npos;
}

bool is_there(const std::filesystem::path& folder, std::string_view word) {
  std::error_code ec;
  bool says_so = word.starts_with("./") || word.starts_with("../");
  return may_be_relative(word) && (says_so || std::filesystem::exists(folder / word, ec));
}

/// Itself, or behind `=`, or as a module of Python.
bool names_something(const std::filesystem::path& folder, const std::string& word, bool is_module) {
  auto files = is_module ? files_of_module(word) : std::vector<std::string>{};
  return is_there(folder, word) || is_there(folder, value_in(word))
         || std::any_of(files.begin(), files.end(), [&](auto& file) { return is_there(folder, file); });
}

/// Where it can not be told it does.
bool depends_on(const std::filesystem::path& folder, const msg::server_entry& entry) {
  std::vector<std::string> words{entry.command};
  words.insert(words.end(), entry.args.begin(), entry.args.end());
  if (words.size() > looked_for_words_max || texts_among(words, {}).is_any)
    return true;
  for (size_t i = 0; i < words.size(); ++i)
    if (names_something(folder, words[i], i > 0 && words[i - 1] == "-m")
        || (words[i].starts_with("-m") && names_something(folder, words[i].substr(2), true)))
      return true;
  return false;
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
