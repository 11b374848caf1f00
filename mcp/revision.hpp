// The protocol revisions, and what differs between them for us. All but the last begin with `initialize`; of the last
// one each request says itself what it needs (mcp/envelope.hpp).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace mcp {

enum class revision : uint8_t { r2024_11_05, r2025_03_26, r2025_06_18, r2025_11_25, r2026_07_28 };

inline constexpr std::array<std::string_view, 5> revision_names{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25",
                                                                "2026-07-28"};
/// Of those that begin with `initialize`.
inline constexpr revision latest_revision = revision::r2025_11_25;

constexpr std::span<const std::string_view> handshake_names() { return std::span{revision_names}.first(4); }

constexpr std::string_view name_of(revision r) { return revision_names[static_cast<size_t>(r)]; }

/// The revision of that name, if it begins with `initialize`; else the latest that does, as the specification asks of
/// servers.
constexpr revision negotiate(std::string_view requested) {
  for (auto r = revision::r2024_11_05; r < latest_revision; r = static_cast<revision>(static_cast<int>(r) + 1))
    if (name_of(r) == requested)
      return r;
  return latest_revision;
}
constexpr bool is_known(std::string_view name) { return name_of(negotiate(name)) == name; }

constexpr bool has_handshake(revision r) { return r <= latest_revision; }
constexpr bool has_batches(revision r) { return r == revision::r2025_03_26; }
constexpr bool has_tool_annotations(revision r) { return r >= revision::r2025_03_26; }
/// outputSchema, structuredContent, title.
constexpr bool has_structured_content(revision r) { return r >= revision::r2025_06_18; }

} // namespace mcp
