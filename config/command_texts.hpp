// Texts for a shell among the words of a command line, whatever program hands them to one.
#pragma once

#include "config/shell_text.hpp"

#include <string>
#include <vector>

namespace config {

struct command_texts {
  std::vector<std::string> words; ///< of all of them, texts in texts included, without quotes
  std::string doubt;              ///< why it is not known what one of them starts (doubt_in()); empty: it is
  bool is_any = false;
};

/// Those that are for a shell by the words in front of them, and those that read like one (is_like_text()).
command_texts texts_among(const std::vector<std::string>& words, const text_scope& scope);

} // namespace config
