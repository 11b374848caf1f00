// The man page, from the words that `--help` shows.
#pragma once

#include "cli/word_tree.hpp"

#include <string>

namespace cli {

/// `code-executor.1`, in roff. `version`: of the program. The same words give the same bytes.
std::string manual_page(const verb_words& root, const std::string& version);

} // namespace cli
