// What a JSON Schema says, as types that TypeScript and Python have: a small model between reading and printing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace types {

enum class kind : uint8_t {
  unknown, ///< anything, or not understood
  never,
  null,
  boolean,
  integer,
  number,
  string,
  literal,
  list,
  tuple,
  object,
  choice, ///< any of the parts
  named,
};

struct field;

/// A tree; recursion goes through names. Wider than the schema where it cannot say all, never narrower.
struct type {
  kind is = kind::unknown;
  kind literal_of = kind::unknown; ///< literal: which kind of value it is
  std::string text;                ///< literal: JSON
  uint32_t name = 0;               ///< named: index in the names of its module
  uint32_t needed = 0;             ///< tuple: so many parts are always there
  std::vector<type> parts;         ///< choice, tuple
  /// At most one. list: of every element; tuple: of those that follow; object: of other names' values.
  std::vector<type> rest;
  std::vector<field> fields; ///< object

  bool operator==(const type&) const = default;
};

struct field {
  std::string name;
  std::string doc; ///< one line, without control characters
  bool required = false;
  type of;

  bool operator==(const field&) const = default;
};

/// What a `$ref` leads to.
struct named_type {
  std::string wish; ///< not unique
  std::string doc;
  type is;
};

/// What a name stands for, or the type itself.
inline const type& body_of(const type& t, const std::vector<named_type>& names) {
  return t.is == kind::named ? names[t.name].is : t;
}

inline type of_kind(kind k) {
  type out;
  out.is = k;
  return out;
}

inline bool is_known(const type& t) { return t.is != kind::unknown; }

} // namespace types
