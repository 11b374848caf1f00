#include "config/command_words.hpp"

#include "config/known_programs.hpp"
#include "config/shell_characters.hpp"
#include "text/json_parse.hpp"
#include "text/percent.hpp"

#include <algorithm>
#include <boost/json/value.hpp>
#include <cstddef>
#include <iterator>

namespace config {

namespace fs = std::filesystem;

namespace {

bool names_one_of(std::string_view option, const auto& options) {
  return std::any_of(std::begin(options), std::end(options), [&](std::string_view known) {
    bool has_letter = known.size() == 2 && option.starts_with(known);
    return has_letter || option.substr(0, option.find('=')) == known;
  });
}

/// The parser has bounded how deep it is.
void add_strings(std::set<std::string>& to, const boost::json::value& of) {
  if (auto* text = of.if_string())
    to.emplace(std::string_view{*text});
  if (auto* array = of.if_array())
    for (auto& element : *array)
      add_strings(to, element);
  if (auto* object = of.if_object())
    for (auto& [name, value] : *object) {
      to.emplace(std::string_view{name});
      add_strings(to, value);
    }
}

/// `-MTools::Run=x`: `Tools/Run.pm`; `-rtools/run`: `tools/run.rb`.
std::string module_of_perl_or_ruby(const std::string& option) {
  auto name = option.substr(2, option.find('=') == option.npos ? option.npos : option.find('=') - 2);
  for (auto at = name.find("::"); at != name.npos; at = name.find("::", at))
    name.replace(at, 2, "/");
  return name + (option[1] == 'r' ? ".rb" : ".pm");
}

} // namespace

std::string_view value_in(std::string_view option) {
  if (!option.starts_with('-'))
    return {};
  if (auto equals = option.find('='); equals != option.npos)
    return option.substr(equals + 1);
  return option.starts_with("--") ? std::string_view{} : option.substr(std::min<size_t>(2, option.size()));
}

start_kind start_behind(std::string_view option) {
  bool goes = std::find(std::begin(going_words), std::end(going_words), option) != std::end(going_words);
  if (goes || names_one_of(option, folder_options))
    return start_kind::all;
  return start_kind::none;
}

std::vector<std::string> other_spellings(const std::string& word) {
  std::vector<std::string> out;
  auto bracket = word.find('[');
  if (bracket != word.npos && bracket > 0 && word.ends_with(']'))
    out.push_back(word.substr(0, bracket));
  if (word.size() > 1 && word[0] == '@')
    out.push_back(word.substr(1));
  if (word.starts_with("-M") || word.starts_with("-m") || word.starts_with("-r"))
    out.push_back(module_of_perl_or_ruby(word));
  if (word.size() > 2 && word[0] == '-' && word[1] != '-')
    for (auto* begin : {"C", "f", "m", "./", "../"}) // `-sCDIR`, `-umpkg.server`
      if (auto at = word.find(begin, 2); at != word.npos && at + 1 < word.size())
        out.push_back(word.substr(at + (*begin == '.' ? 0 : 1)));
  return out;
}

std::vector<std::string> files_of_module(std::string_view name) {
  constexpr size_t parts_max = 8;
  std::vector<std::string> out;
  std::string path;
  for (size_t parts = 0; !name.empty() && parts < parts_max; ++parts) {
    auto part = name.substr(0, name.find_first_of(".:"));
    bool is_name = !part.empty() && std::all_of(part.begin(), part.end(), is_part_of_name);
    if (!is_name)
      return {};
    if (!path.empty())
      out.push_back(path + ".py");
    path += std::string{path.empty() ? "" : "/"} + std::string{part};
    out.push_back(path + "/__init__.py");
    bool goes_on = part.size() < name.size() && name[part.size()] == '.';
    name = goes_on ? name.substr(part.size() + 1) : std::string_view{};
  }
  if (!path.empty()) {
    out.push_back(path + ".py");
    out.push_back(path + "/__main__.py");
  }
  return out;
}

std::string path_in_url(std::string_view url) {
  constexpr std::string_view scheme = "file:";
  if (!url.starts_with(scheme))
    return {};
  url.remove_prefix(scheme.size());
  url = url.substr(0, url.find_first_of("?#"));
  if (url.starts_with("//"))
    url.remove_prefix(std::min(url.find('/', 2), url.size()));
  return text::percent_decoded(url);
}

std::optional<std::set<std::string>> strings_in_json(std::string_view text) {
  auto begin = text.find_first_not_of(" \t\r\n");
  boost::json::value value;
  if (begin == text.npos || (text[begin] != '{' && text[begin] != '[')
      || !text::parse_json(text, text::json_dialect::strict, value).what.empty())
    return std::nullopt;
  std::set<std::string> strings;
  add_strings(strings, value);
  return strings;
}

fs::path seen_from(const fs::path& folder, std::string_view word, std::string_view home) {
  for (std::string_view at_home : {"~/", "$HOME/", "${HOME}/"})
    if (word.starts_with(at_home))
      return fs::path{home} / word.substr(at_home.size());
  if (word == "$PWD" || word == "${PWD}" || word == "$(pwd)")
    return folder;
  if (word == "~" || word == "$HOME" || word == "${HOME}")
    return home;
  for (std::string_view here : {"$PWD/", "${PWD}/", "$(pwd)/"})
    if (word.starts_with(here))
      return folder / word.substr(here.size());
  return folder / word;
}

} // namespace config
