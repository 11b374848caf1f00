// The nodes of a YAML document, with their places.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace edits {

enum class yaml_kind : uint8_t { scalar, mapping, sequence };
enum class yaml_style : uint8_t { block, flow };

struct yaml_node {
  yaml_kind kind = yaml_kind::scalar;
  yaml_style style = yaml_style::block; ///< of mappings and sequences
  size_t begin = 0;
  size_t end = 0; ///< of the last that can be seen of it, without comments
  struct member {
    std::string key;  ///< empty in sequences
    size_t begin = 0; ///< of the key; in sequences of what is behind the `-`
    size_t key_end = 0;
    std::vector<yaml_node> holds; ///< its value
    const yaml_node& value() const { return holds.front(); }
  };
  std::vector<member> members;

  /// Null: there is none, or this is no mapping.
  const member* find(std::string_view key) const;
};

/// `text` is one well-formed document; its depth is bounded. An empty one is a scalar without length at its end.
yaml_node yaml_outline(std::string_view text);

} // namespace edits
