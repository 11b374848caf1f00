// Characters that do something to what shows them, instead of being seen: what text from outside may hold, and how it
// is shown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace text {

/// Where the first control character is (Unicode's category Cc), but for those of `allowed`; npos: there is none.
size_t find_control(std::string_view text, std::string_view allowed = {});

/// Harmless on a terminal and in one line of a log: control characters, those that break lines or turn the direction of
/// text, and those of which nothing is seen become `\n`, `\u001b`, `\u200b` and so on, as JSON has them; a tab stays.
/// What is no UTF-8 becomes U+FFFD.
std::string printable(std::string_view bytes);

/// What was left out of a text.
enum class left_out : uint8_t { nothing, colours, sequences };

/// Without the sequences that colour text, move the cursor or name the window. One of more than `sequence_bytes_max`,
/// or without an end in its line, is taken for text, but for the character that would begin it: nothing that follows an
/// ESC by chance is lost.
inline constexpr size_t sequence_bytes_max = 1'024;
std::string without_escape_sequences(std::string_view text, left_out* what = nullptr);
/// What a terminal would show, for those who have none: without bells as well, and of text that is written over the
/// last one counts; what begins its line anew begins a new one.
std::string without_terminal_control(std::string_view text, left_out* what = nullptr);

} // namespace text
