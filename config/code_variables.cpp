#include "config/code_variables.hpp"

#include "config/env_file.hpp"
#include "config/possible_words.hpp"
#include "config/shell_programs.hpp"
#include "config/shell_words.hpp"
#include "messages/limits.hpp"

namespace config {

std::vector<std::string> words_naming_code(std::string_view name, std::string_view value) {
  if (!names_code(name) || value.size() > msg::limits::argument_bytes_max)
    return {};
  auto words = pieces_of(value);
  for (auto& word : split_words(value))
    words.push_back(std::move(word));
  return words;
}

std::vector<std::string> words_naming_code_in(const std::filesystem::path& file, file_look& look) {
  constexpr std::string_view variables_name = ".env";
  auto name = file.filename().string();
  if (!name.starts_with(variables_name) && !name.ends_with(variables_name))
    return {};
  std::vector<std::string> words;
  for (auto& [variable, value] : parse_env_file(file.string(), look.text_in(file)).value)
    for (auto& word : words_naming_code(variable, value))
      words.push_back(std::move(word));
  return words;
}

} // namespace config
