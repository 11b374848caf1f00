// Sizes and durations as people write them: "512m", "30s".
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace config {

/// Plain bytes, or with k, m, g (of 1024), also as kb or KiB. Nothing: no such text, or beyond 64 bits.
std::optional<uint64_t> parse_bytes(std::string_view text);

/// Plain seconds, or with ms, s, m, h. Nothing: no such text, or beyond 64 bits of milliseconds.
std::optional<std::chrono::milliseconds> parse_duration(std::string_view text);

} // namespace config
