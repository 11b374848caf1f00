#include "cli/reference.hpp"

#include "cli/reference_parts.hpp"

namespace cli {

namespace {

/// Whoever edits the page finds out by the test that it is made.
constexpr std::string_view made =
  "<!-- Made by `code-executor manual --reference`, see docs/testing.md; not by hand. -->\n";

} // namespace

std::vector<std::string> reference_pages() { return {"settings", "variables", "commands", "tools", "errors"}; }

std::string reference_page(std::string_view name, const verb_words& root) {
  auto page = name == "settings"    ? settings_reference()
              : name == "variables" ? variables_reference()
              : name == "commands"  ? commands_reference(root)
              : name == "tools"     ? tools_reference()
                                    : errors_reference();
  return std::string{made} + page;
}

} // namespace cli
