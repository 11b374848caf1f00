#include "config/entry_scope.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string_view>
#include <system_error>

namespace config {

namespace {

/// Words that are looked for as files: servers are named by one of the first.
constexpr size_t looked_for_words_max = 8;
constexpr size_t relative_word_bytes_max = 1'024;

bool may_be_relative(std::string_view word) {
  return !word.empty() && word.size() <= relative_word_bytes_max && word.find('\0') == word.npos
         && std::string_view{"/~$-@"}.find(word.front()) == std::string_view::npos
         && word.find_first_of("./") != word.npos;
}

bool is_file_in(const std::filesystem::path& folder, std::string_view word) {
  std::error_code ec;
  bool says_so = word.starts_with("./") || word.starts_with("../");
  return may_be_relative(word) && (says_so || std::filesystem::exists(folder / word, ec));
}

} // namespace

std::string scope_of(const server_source& source, const msg::server_entry& entry, const environment& env) {
  auto* keys = source.client.container;
  bool is_of_project =
    source.of_project || (keys && std::string_view{keys}.find("{project}") != std::string_view::npos);
  if (is_of_project || (!entry.cwd.empty() && may_be_relative(entry.cwd)))
    return env.cwd;
  if (!entry.cwd.empty() || env.cwd.empty())
    return {};
  auto folder = std::filesystem::path{env.cwd};
  auto last = entry.args.begin() + static_cast<std::ptrdiff_t>(std::min(entry.args.size(), looked_for_words_max));
  bool names_a_file = is_file_in(folder, entry.command)
                      || std::any_of(entry.args.begin(), last, [&](auto& word) { return is_file_in(folder, word); });
  return names_a_file ? env.cwd : std::string{};
}

} // namespace config
