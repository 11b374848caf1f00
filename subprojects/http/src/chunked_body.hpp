// A body in chunks (RFC 9112, 7.1), read strictly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace http {

/// Of one body: extensions of chunks and what comes behind the last one, which nobody here needs, and the lines with
/// the sizes, whose count is that of the chunks. So much is 16,000 chunks in a framing of the usual 4 to 8 bytes.
inline constexpr size_t chunk_framing_bytes_max = 128u << 10;
/// A body may have as much framing as it has bytes, besides: a client that sends every byte as it comes is odd, not
/// bad.
inline constexpr size_t chunk_framing_factor_max = 8;

/// http_parser, as Debian builds it, takes any two bytes for the end of a chunk; who stands in front of this server may
/// not, and so would see other requests than it does.
class chunked_body {
public:
  /// What the next bytes are.
  struct step {
    enum class kind {
      framing, ///< nothing that matters
      size,    ///< a chunk of `announced` bytes begins
      data,    ///< the `used` bytes belong to the body
      end,     ///< the body is complete
      broken   ///< no chunks
    };
    kind what = kind::framing;
    size_t used = 0;
    uint64_t announced = 0;
  };

  /// `bytes` is not empty; not called after `end` or `broken`.
  step take(std::string_view bytes);
  /// Of what is not the body itself.
  size_t framing_bytes() const { return framing_bytes_; }

private:
  enum class part { size, extension, size_lf, data, data_cr, data_lf, line_start, line, line_lf, last_lf };

  step take_byte(char c);
  step take_size(char c);
  step take_line_end();
  step take_trailer(char c);
  step expect(char c, char expected, part next);

  part part_ = part::size;
  int digits_ = 0;
  uint64_t size_ = 0; ///< of the chunk; while it is read, what is left
  size_t framing_bytes_ = 0;
};

} // namespace http
