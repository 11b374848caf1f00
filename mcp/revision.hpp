// The protocol revisions that begin with `initialize`, and what differs between them for us.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace mcp {

enum class revision : uint8_t { r2024_11_05, r2025_03_26, r2025_06_18, r2025_11_25 };

inline constexpr std::array<std::string_view, 4> revision_names{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"};
inline constexpr revision latest_revision = revision::r2025_11_25;

constexpr std::string_view name_of(revision r) { return revision_names[static_cast<size_t>(r)]; }

/// The revision of that name; an unknown one gives the latest, as the specification asks of servers.
constexpr revision negotiate(std::string_view requested) {
  for (size_t i = 0; i < revision_names.size(); ++i)
    if (revision_names[i] == requested)
      return static_cast<revision>(i);
  return latest_revision;
}
constexpr bool is_known(std::string_view name) { return name_of(negotiate(name)) == name; }

constexpr bool has_batches(revision r) { return r == revision::r2025_03_26; }
constexpr bool has_tool_annotations(revision r) { return r >= revision::r2025_03_26; }
/// outputSchema, structuredContent, title.
constexpr bool has_structured_content(revision r) { return r >= revision::r2025_06_18; }

} // namespace mcp
