#include "config/home_goers.hpp"

#include "config/known_programs.hpp"
#include "config/shell_programs.hpp"
#include "config/text_variables.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>

namespace config {

namespace {

/// A program that goes there with one of these options, or, without a letter, always.
struct home_goer {
  std::string_view name, letter, option;
  bool names_user = true; ///< it goes to the home of the user that is named, or of root
};
constexpr home_goer home_goers[] = {{"su", "l", "--login"},
                                    {"runuser", "l", "--login"},
                                    {"sudo", "i", "--login"},
                                    {"pkexec", "", ""},
                                    {"systemd-run", "", "", false}};
/// Behind the program.
constexpr size_t words_looked_at_max = 32;
constexpr std::string_view goers_without_operand[] = {"cd", "chdir"};

bool is_goer_alone(const std::vector<text_word>& words) {
  auto program = std::find_if(words.begin(), words.end(), [](auto& word) {
    return assigned_in(word.text).empty() && !is_among(word.text, words_before_program);
  });
  return program != words.end() && is_among(program->text, goers_without_operand)
         && std::all_of(program + 1, words.end(), [](auto& word) { return word.is_known() && is_option_word(word); });
}

bool goes_with(const home_goer& goer, const std::string& option) {
  bool is_short = option.size() > 1 && option[0] == '-' && option[1] != '-';
  return option == goer.option || (goer.letter == "l" && option == "-")
         || (is_short && option.find(goer.letter) != option.npos);
}

/// `at`: of the program. Its options end, if they do not name a user, at the first word that can be no value of one.
bool goes(const home_goer& goer, const std::vector<text_word>& words, size_t at) {
  bool is_anywhere = goer.letter == "l";
  auto end = std::min(words.size(), at + 1 + words_looked_at_max);
  for (auto i = at + 1; !goer.letter.empty() && i < end; ++i) {
    if (goes_with(goer, words[i].text))
      return true;
    if (!is_anywhere && !is_option_word(words[i]) && !is_option_word(words[i - 1]))
      return false;
  }
  return goer.letter.empty();
}

} // namespace

home_goal goes_home(const std::vector<text_word>& words, std::string_view home) {
  if (is_goer_alone(words))
    return home_goal::own;
  auto user = std::filesystem::path{home}.filename().string();
  bool is_named = std::any_of(words.begin(), words.end(), [&](auto& word) { return word.text == user; });
  for (size_t at = 0; at < words.size(); ++at)
    for (auto& goer : home_goers)
      if (goer.name == program_called(words[at].text) && goes(goer, words, at))
        return !goer.names_user || is_named || user == "root" ? home_goal::own : home_goal::other;
  return home_goal::none;
}

} // namespace config
