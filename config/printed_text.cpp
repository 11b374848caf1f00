#include "config/printed_text.hpp"

#include <filesystem>
#include <vector>

namespace config {

std::optional<std::string> printed_by(const shell_text& text, const text_scope& scope) {
  using strings = std::vector<std::string>;
  strings words;
  if (text.commands.size() != 1 || !text.commands[0].inputs.empty())
    return std::nullopt;
  for (auto& word : text.commands[0].words) {
    if (!word.is_known())
      return std::nullopt;
    words.push_back(word.text);
  }
  if (words == strings{"pwd"} || words == strings{"pwd", "-P"} || words == strings{"pwd", "-L"})
    return "$PWD";
  bool is_top =
    words == strings{"git", "rev-parse", "--show-toplevel"} || words == strings{"git", "rev-parse", "--show-cdup"};
  if (is_top)
    return scope.top.empty() ? std::nullopt : std::optional{scope.top};
  if (words.size() == 2 && words[0] == "dirname" && !words[1].ends_with('/')) {
    auto parent = std::filesystem::path{words[1]}.parent_path().string();
    return parent.empty() ? "." : parent;
  }
  bool is_search =
    (words.size() == 2 && words[0] == "which") || (words.size() == 3 && words[0] == "command" && words[1] == "-v");
  return is_search ? std::optional{words.back()} : std::nullopt;
}

} // namespace config
