// What an agent has said and called, as a session file of Claude Code tells it, or any text.
#pragma once

#include "messages/document.hpp"
#include "messages/errors.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace faults {

/// Bytes of a file that is read; what is longer is refused.
inline constexpr size_t transcript_bytes_max = size_t{256} << 20;
/// Of a plain text what is taken for its last words.
inline constexpr size_t last_words_max = size_t{16} << 10;

/// A tool that the agent has used itself; those that its programs call are not in a transcript.
struct tool_use {
  std::optional<uint64_t> at_ms; ///< since 1970; nothing: the file does not say
  std::string name;
  msg::document input;
};

struct transcript {
  std::string last_words; ///< the last text of the agent
  std::vector<tool_use> uses;
};

/// Lines of JSON whose members `message.content` have text, tool_use and tool_result, as Claude Code writes them (also
/// with `--output-format stream-json`); else the whole is a text. What side agents say is left out. The fault says that
/// there is nothing in it.
msg::outcome<transcript> read_transcript(std::string_view text);

} // namespace faults
