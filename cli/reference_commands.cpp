#include "cli/exit_codes.hpp"
#include "cli/markdown.hpp"
#include "cli/reference_parts.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <string_view>

namespace cli {

namespace {

/// What stands for something, as `FILE`.
std::string in_capitals(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::toupper(c); });
  return name;
}

std::string listed_spellings(const option_words& option) {
  std::string names, value = option.value_name;
  if (!option.choices.empty()) {
    value.clear();
    for (auto& choice : option.choices)
      value += (value.empty() ? "" : "|") + choice;
  }
  for (auto& spelling : option.spellings)
    names += (names.empty() ? "" : ", ") + spelling;
  if (!option.spellings.front().starts_with('-'))
    return in_capitals(names);
  return names + (option.value == value_kind::none ? "" : " " + value);
}

/// Each verb has `--help`; the page says so once.
bool is_help(const option_words& option) { return option.spellings.back() == "--help"; }

std::string usage_of(const std::string& path, const verb_words& verb) {
  auto out = path + (!verb.verbs.empty() && verb.positionals.empty() ? " COMMAND" : "");
  bool has_options = false;
  for (auto& each : verb.options)
    has_options = has_options || !is_help(each);
  out += has_options ? " [OPTIONS]" : "";
  for (auto& each : verb.positionals) {
    auto name = in_capitals(each.spellings.front()) + (each.may_repeat ? " ..." : "");
    out += each.is_required ? " " + name : " [" + name + "]";
  }
  return out;
}

/// What `--help` ends with: `Example: COMMAND`, or several below each other.
std::string examples_of(const verb_words& verb) {
  std::string_view left = verb.example;
  std::string out;
  while (!left.empty()) {
    auto line = left.substr(0, left.find('\n'));
    left.remove_prefix(std::min(line.size() + 1, left.size()));
    for (std::string_view title : {"Examples:", "Example:"})
      line.remove_prefix(line.starts_with(title) ? title.size() : 0);
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    out += "    " + std::string{line} + "\n";
  }
  return out.empty() ? out : "\nFor example:\n\n" + out;
}

std::string options_table(const verb_words& verb) {
  std::string rows;
  for (auto* list : {&verb.positionals, &verb.options})
    for (auto& each : *list)
      if (!is_help(each))
        rows += markdown_row({markdown_code(listed_spellings(each)), markdown_text(each.about)});
  return rows.empty() ? rows : "\n" + markdown_head({"", ""}) + rows;
}

void add_chapter(const std::string& path, const verb_words& verb, std::string& out) { // NOLINT(misc-no-recursion)
  out += "\n## " + path + "\n\n" + markdown_text(verb.about) + "\n\n    " + usage_of("code-executor " + path, verb)
         + "\n" + options_table(verb) + examples_of(verb);
  for (auto& below : verb.verbs)
    add_chapter(path + " " + below.name, below, out);
}

} // namespace

std::string commands_reference(const verb_words& root) {
  std::string out = "# Every command\n\nWithout a command, `code-executor` serves MCP on stdin and stdout. `--help` "
                    "behind any command prints what is here, and\n`code-executor --version` the version. How they are "
                    "used: [command-line.md](../command-line.md) and the other pages of [the book](../README.md).\n\n";
  out += markdown_head({"exit code", ""});
  auto code = [&out](int number, const char* about) { out += markdown_row({std::to_string(number), about}); };
  code(EXIT_SUCCESS, "done");
  code(EXIT_FAILURE, "failed, refused or interrupted");
  code(exit_wrong_use, "wrong use or settings");
  code(exit_interrupted, "interrupted, where what was printed is not all");
  for (auto& verb : root.verbs)
    add_chapter(verb.name, verb, out);
  return out;
}

} // namespace cli
