// What comes behind what in a text for a shell: a program that is not known may build what is started behind it, from
// whatever lies in the folder.
#pragma once

#include "config/shell_text.hpp"

#include <string>
#include <vector>

namespace config {

/// Of one command line with all texts in it, in the order in which they stand there.
class text_order {
public:
  explicit text_order(const text_scope& scope) : scope_(scope) {}

  /// Those of a text, with the functions that it defines. A part of a sentence, if something that lies in the folder is
  /// started by, or behind, a program that is neither in our tables nor elsewhere on this machine, or behind one that
  /// runs tasks (`make`, `npm run`). Empty: nothing is.
  std::string doubt_at(const text_command& command, const std::vector<std::string>& functions);

private:
  bool is_in_folder(const text_word& word) const;
  bool starts_in_folder(const std::vector<text_word>& words, size_t program) const;
  bool is_started_at(const std::vector<text_word>& words, size_t at) const;
  bool is_elsewhere(const std::vector<text_word>& words, size_t program) const;
  std::string stranger_in(const std::vector<text_word>& words, size_t program,
                          const std::vector<std::string>& functions) const;

  const text_scope& scope_;
  std::string stranger_, other_; ///< the first one that has come, and the first of another command
  std::vector<text_word> stranger_words_;
};

} // namespace config
