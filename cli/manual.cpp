#include "cli/manual.hpp"

#include <algorithm>
#include <string_view>

namespace cli {

namespace {

/// Of the page's form; what it tells of the words has the version of the program.
constexpr std::string_view form_date = "2026-11-27";

/// As text: no letter of it means something to roff, wherever it stands in a line.
std::string roff(std::string_view text) {
  std::string out;
  bool begins_line = true;
  for (char c : text) {
    if (begins_line && (c == '.' || c == '\''))
      out += "\\&";
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else if (c == '\'')
      out += "\\(aq";
    else
      out += c;
    begins_line = c == '\n';
  }
  return out;
}

/// The same in lines that a person can read, as roff wants them; it fills them anew.
std::string filled(std::string_view text) {
  constexpr size_t line_max = 72;
  std::string out;
  size_t length = 0;
  for (size_t at = 0; at < text.size();) {
    auto end = std::min(text.find_first_of(" \n", at), text.size());
    bool breaks = length > 0 && (length + end - at > line_max || text[at - 1] == '\n');
    out += length == 0 ? "" : breaks ? "\n" : " ";
    length = breaks || length == 0 ? end - at : length + 1 + end - at;
    out += text.substr(at, end - at);
    at = end + 1;
  }
  return roff(out);
}

std::string in_quotes(std::string_view text) {
  std::string out = "\"";
  for (char c : roff(text))
    out += c == '"' ? std::string{"\\(dq"} : std::string{c};
  return out + "\"";
}

std::string bold(const std::string& text) { return "\\fB" + roff(text) + "\\fR"; }
std::string italic(const std::string& text) { return "\\fI" + roff(text) + "\\fR"; }

std::string value_of(const option_words& option) {
  std::string name = option.value_name;
  if (!option.choices.empty()) {
    name.clear();
    for (auto& choice : option.choices)
      name += (name.empty() ? "" : "|") + choice;
  }
  return option.value == value_kind::none ? std::string{} : " " + italic(name);
}

std::string paragraph_of(const option_words& option) {
  std::string names;
  for (auto& spelling : option.spellings)
    names += (names.empty() ? "" : ", ") + bold(spelling);
  return ".TP\n" + names + value_of(option) + "\n" + filled(option.about.empty() ? "As its name says." : option.about)
         + "\n";
}

std::string synopsis(const std::string& path, const verb_words& verb) {
  auto out = bold(path);
  if (!verb.verbs.empty() && verb.positionals.empty())
    out += " " + italic("COMMAND");
  if (!verb.options.empty())
    out += " [" + italic("OPTIONS") + "]";
  for (auto& each : verb.positionals) {
    auto name = italic(each.spellings.front()) + (each.may_repeat ? " ..." : "");
    out += each.is_required ? " " + name : " [" + name + "]";
  }
  return out;
}

/// A verb, and those below it.
void add_verb(const std::string& path, const verb_words& verb, std::string& out) { // NOLINT(misc-no-recursion)
  out += ".SS " + in_quotes(path) + "\n" + synopsis("code-executor " + path, verb) + "\n.PP\n"
         + filled(verb.about.empty() ? "As its name says." : verb.about) + "\n";
  for (auto& each : verb.positionals)
    out += paragraph_of(each);
  for (auto& option : verb.options)
    out += paragraph_of(option);
  if (!verb.example.empty())
    out += ".PP\n" + filled(verb.example) + "\n";
  for (auto& below : verb.verbs)
    add_verb(path + " " + below.name, below, out);
}

constexpr std::string_view ending = R"(.SH EXIT STATUS
.TP
.B 0
done
.TP
.B 1
failed, refused or interrupted
.TP
.B 2
wrong use or settings
.TP
.B 130
interrupted, where what was printed is not all
.SH FILES
.TP
.I ~/.code\-executor/
the state: the catalog of tools, the record, logins, wrappers
.TP
.IR ~/.code\-executor.json ", " ./.code\-executor.json
settings; \fBcode\-executor config path\fR says which file is used
)";

} // namespace

std::string manual_page(const verb_words& root, const std::string& version) {
  auto out = ".TH CODE\\-EXECUTOR 1 " + std::string{form_date} + " " + in_quotes("code-executor " + version)
             + " \"User Commands\"\n.SH NAME\n" + filled("code-executor - " + root.about) + "\n.SH SYNOPSIS\n"
             + synopsis("code-executor", root) + "\n.SH DESCRIPTION\n" + filled(root.about)
             + "\nWithout a command it serves MCP on stdin and stdout.\n.SH OPTIONS\n";
  for (auto& option : root.options)
    out += paragraph_of(option);
  out += ".SH COMMANDS\n";
  for (auto& verb : root.verbs)
    add_verb(verb.name, verb, out);
  return out.append(ending);
}

} // namespace cli
