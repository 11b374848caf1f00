// What a word of a command line says by itself, whatever the program is.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace config {

/// `--name=VALUE`, `-CVALUE`. Empty: there is none.
std::string_view value_in(std::string_view option);

/// What is started in the folder that an option names.
enum class start_kind : uint8_t {
  none,
  all,
};
/// In its own value, or, without one, in the next word.
start_kind start_behind(std::string_view option);

/// What else a word may mean: `./pkg[extra]` and `@args.txt` without what is around the name, `-sCDIR` DIR,
/// `-MTools::Run` `Tools/Run.pm`.
std::vector<std::string> other_spellings(const std::string& word);

/// Of a module of Python (`-m pkg.server`): the files that it may be, and those of its packages that come first.
/// Relative; empty: it is no name of one.
std::vector<std::string> files_of_module(std::string_view name);

/// `file:///a/my%20b.js?c`: the path in it. Empty: it is no such URL.
std::string path_in_url(std::string_view url);

/// Of a text in JSON all that are in it, names of members too, each once. None: it is no such text, as is none for a
/// shell.
std::optional<std::set<std::string>> strings_in_json(std::string_view text);

/// As the word has it: with its `..`, see ways_to(). `home`: what `~` is.
std::filesystem::path seen_from(const std::filesystem::path& folder, std::string_view word, std::string_view home);

} // namespace config
