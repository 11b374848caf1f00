// The pages of docs/reference/, made of the tables that the program itself works with: so none of them can be wrong.
#pragma once

#include "cli/word_tree.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace cli {

/// Names of pages: docs/reference/NAME.md.
std::vector<std::string> reference_pages();
/// One of them, in Markdown. The same words give the same bytes; what is shown is of no machine and no settings.
std::string reference_page(std::string_view name, const verb_words& root);

} // namespace cli
