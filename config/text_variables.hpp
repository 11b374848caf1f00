// Variables of a text for a shell, as its reader comes to them.
#pragma once

#include "config/shell_text.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace config {

/// That a text sets and that are known after it. Others count as unknown.
inline constexpr size_t text_variables_max = 64;

/// `;`, `&&`, ...: what stands between two commands.
enum class text_joint : uint8_t {
  sequence, ///< `;`, an end of line, the begin and the end of the text
  both,     ///< `&&`
  other,    ///< `||`, `|`, `&`, a bracket
};

class text_variables {
public:
  /// Of a text that is read in that scope: what the entry sets, as long as the command line sets it nowhere. The scope
  /// outlives this.
  explicit text_variables(const text_scope& scope) : scope_(scope) {}
  /// What a text within this one begins with.
  text_variables inner() const;

  struct value {
    std::optional<std::string> text; ///< none: it is not known
    word_value why = word_value::known;
  };
  /// `is_quoted`: nothing is made of blanks and patterns in it.
  value of(std::string_view name, bool is_quoted) const;

  /// What is set from here on may be set never, or in another shell.
  void begin_block() { is_in_blocks_ = true; }
  /// What later commands may refer to: a variable has one value if all of the command line sets it once, here, where
  /// nothing decides whether this comes, and as nothing but `NAME=VALUE`.
  void note(const text_command& command, text_joint before, text_joint behind);

private:
  void set(const std::string& name, const text_word& word, bool is_certain);

  const text_scope& scope_;
  std::map<std::string, std::string> own_; ///< that the text has set
  bool is_in_blocks_ = false;              ///< one has begun
  bool is_sourced_ = false;                ///< a script has come that may set any, but for HOME and PWD
  std::vector<std::string> chain_;         ///< set behind a `&&`: known as long as what follows stands behind one, too
};

/// A shell makes several words of it where it is not quoted, or looks for files by it.
inline bool is_split(std::string_view value) { return value.find_first_of(" \t\n*?[\\") != value.npos; }

/// `NAME=...`: NAME. Empty: it is no assignment.
std::string_view assigned_in(std::string_view word);

} // namespace config
