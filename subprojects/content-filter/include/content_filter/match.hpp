// What is found at one place of a text. The answer is the same whatever follows later, or it is `undecided`: so a text
// in pieces is filtered as the whole would be.
#pragma once

#include "content_filter/bytes.hpp"
#include "content_filter/filter.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace content_filter {

/// What is looked at: a place, what is known of the text before it (context_bytes_max) and behind it.
struct place {
  std::string_view text;
  size_t at = 0;
  bool is_end = false; ///< nothing follows

  char here() const { return text[at]; }
  std::string_view rest() const { return text.substr(at); }
  /// The byte so far before the place; 0 if there is none.
  char before(size_t distance) const { return distance <= at ? text[at - distance] : '\0'; }
  bool is_last(size_t end) const { return end == text.size() && !is_end; }
};

/// The bytes that still belong to it if they follow.
struct tail {
  byte_set set = 0; ///< 0: none
  uint8_t dots = 0; ///< that may be between them
  bool is_pem = false;
  bool is_open() const { return set != 0 || is_pem; }
};

enum class verdict : uint8_t {
  nothing,
  undecided, ///< it depends on what follows
  found,
};

struct match {
  verdict what = verdict::nothing;
  content_class kind = content_class::secret;
  size_t end = 0; ///< in the text; it begins at the place
  tail goes_on;
};

inline constexpr match seen_nothing{};
inline constexpr match seen_too_little{verdict::undecided, {}, 0, {}};

/// Text before a place that may say what is there.
inline constexpr size_t context_bytes_max = 64;
/// A secret is told by so much of it; the rest only has to go on like that.
inline constexpr size_t secret_bytes_max = 256;
/// The head of a JSON web token; those with a public key in it have 700.
inline constexpr size_t jwt_head_bytes_max = 2'048;
/// "-----BEGIN ...-----", and the first bytes of what is inside.
inline constexpr size_t pem_begin_bytes_max = 256;
/// RFC 5321.
inline constexpr size_t email_local_bytes_max = 64;
inline constexpr size_t email_domain_bytes_max = 255;
/// A number of 19 digits with what separates them, which may be characters of 3 bytes.
inline constexpr size_t number_bytes_max = 80;

/// The byte before belongs to an escape such as `\n`, `%3D`, `\x3d` or `\u0022`.
inline bool is_behind_escape(const place& p) {
  auto hex = [&](size_t digits) {
    for (size_t i = 1; i <= digits; ++i)
      if (!is_hex(p.before(i)))
        return false;
    return true;
  };
  auto sign = [&](size_t distance, char letter) {
    return p.before(distance) == letter && p.before(distance + 1) == '\\';
  };
  return sign(1, 'n') || sign(1, 'r') || sign(1, 't') || (p.before(3) == '%' && hex(2)) || (sign(3, 'x') && hex(2))
         || (sign(5, 'u') && hex(4));
}

/// A word may begin here: not inside of one, or behind an escape.
inline bool is_word_start(const place& p) { return !is_of(bytes::alnum, p.before(1)) || is_behind_escape(p); }

/// The letters and digits of the name, in lower case, that a value at the place is given to (`AWS_SECRET_KEY=`:
/// "awssecretkey"). At most context_bytes_max.
struct name_before {
  std::array<char, context_bytes_max> letters{};
  size_t first = context_bytes_max; ///< of letters
  bool is_assigned = false;         ///< by more than a space
  std::string_view text() const { return {letters.data() + first, letters.size() - first}; }
};
name_before name_of(const place& p);

match look_for_secret(const place& p);
match look_for_token(const place& p); ///< JSON web tokens
match look_for_pem(const place& p);
match look_for_email(const place& p);
match look_for_number(const place& p); ///< SSN, card, phone

/// The end of a PEM block that is open at the place: behind it, or nothing but the bytes that are certainly inside.
struct pem_end {
  bool is_closed = false;
  size_t end = 0;
};
pem_end look_for_pem_end(const place& p);

} // namespace content_filter
