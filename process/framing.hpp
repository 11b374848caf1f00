// Where one message ends and the next begins: lines (MCP over stdio) or length-prefixed frames (guests).
#pragma once

#include "process/growing_text.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace process {

enum class framing : uint8_t {
  lines,  ///< text, then "\n"; "\r\n" is tolerated, empty lines are passed over
  frames, ///< 4 bytes of length, big endian, then that many bytes
};

/// Turns `text` into what goes onto the wire.
std::string frame(framing kind, std::string text);

/// Cuts a stream of bytes into messages. Holds at most one message of `bytes_max` and one chunk.
class deframer {
public:
  enum class event : uint8_t {
    need_more, ///< feed() again
    message,   ///< text() is one
    too_long,  ///< one was over the bound and has been dropped: text() is its beginning, ending() its end, if it was
               ///< a line; a stream of frames is unusable now
  };

  deframer(framing kind, size_t bytes_max) : kind_(kind), bytes_max_(bytes_max) {}

  void feed(std::string_view chunk) { buffer_.append(chunk); }
  event next();
  /// Valid until the following call of feed() or next().
  std::string_view text() const { return text_; }
  std::string_view ending() const { return ending_; }
  /// At the end of the stream: the last line may be without its end. False: there is none, or it is too long.
  bool take_rest();
  /// After `need_more`: the rest of one that has begun is missing.
  bool is_within() const { return discarding_ || consumed_ < buffer_.view().size(); }
  /// Memory of what has come and was not consumed.
  size_t held_bytes() const { return buffer_.held_bytes(); }

private:
  event next_line();
  event next_frame();
  void keep_ends(std::string_view part);
  void drop_consumed();

  framing kind_;
  size_t bytes_max_;
  growing_text buffer_;
  std::string_view text_;
  std::string beginning_, ending_; // of a line that is too long, as far as it has come
  size_t consumed_ = 0;            // bytes of buffer_ that are done with
  size_t scanned_ = 0;             // bytes of buffer_ without a newline
  bool discarding_ = false;        // inside a line that is too long
};

} // namespace process
