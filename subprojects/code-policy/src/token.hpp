// A program in pieces, as far as dangerous patterns need it: names, texts and marks, without comments.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace code_policy {

enum class token_kind : uint8_t {
  name,
  text,  ///< a string that is the same whenever it is evaluated
  piece, ///< a part of a string with expressions in it
  number,
  regex,    ///< of JavaScript
  mark,     ///< one or two characters: ( ) . ?. => + ...
  line_end, ///< of Python, outside of brackets
};

struct token {
  token_kind kind;
  uint32_t begin; ///< in the source
  uint32_t end;
  uint32_t partner; ///< index of the bracket that belongs to this one; `none` if there is none
};

inline constexpr uint32_t none = UINT32_MAX;

/// What a source is made of. The source is borrowed. A scanner makes it in linear time; it takes 16 bytes for each
/// token.
struct token_list {
  std::string_view source;
  std::vector<token> tokens;

  /// Out of range: nothing.
  std::string_view text(size_t i) const;
  bool is_mark(size_t i, std::string_view mark) const { return is(i, token_kind::mark) && text(i) == mark; }
  bool is(size_t i, token_kind kind) const { return i < tokens.size() && tokens[i].kind == kind; }
  /// The name, with its escapes resolved; empty: it is none.
  std::string name(size_t i) const;
  bool is_name(size_t i, std::string_view name) const;
  /// Behind the bracket that closes the one at `i`; the number of tokens if nothing does.
  size_t behind(size_t i) const;

  void add(token_kind kind, size_t begin, size_t end);
};

/// Ties brackets to each other; what does not fit stays alone.
void pair_brackets(token_list& list);

} // namespace code_policy
