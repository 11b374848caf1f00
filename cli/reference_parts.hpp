// Each page of the reference, see cli/reference.hpp.
#pragma once

#include "cli/word_tree.hpp"

#include <string>

namespace cli {

std::string settings_reference();
std::string variables_reference();
std::string commands_reference(const verb_words& root);
std::string tools_reference();
std::string errors_reference();

} // namespace cli
