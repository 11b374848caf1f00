// Where the body of a request ends, so that nothing after it passes the egress proxy.
#pragma once

#include "sandbox/egress/http_head.hpp"

#include <cstdint>
#include <string_view>

namespace egress {

/// Follows a body through the bytes that carry it, framing of chunks included.
class body_scanner {
public:
  body_scanner(body_kind kind, uint64_t bytes);

  /// How many bytes at the beginning of `bytes` belong to the body.
  size_t take(std::string_view bytes);
  bool ended() const { return state_ == state::ended; }
  /// The framing of the chunks is broken; no more is taken.
  bool broken() const { return state_ == state::broken; }

private:
  enum class state : uint8_t {
    counted,
    size_first,
    size,
    size_end,
    data,
    data_cr,
    data_lf,
    trailer_first,
    trailer,
    trailer_lf,
    last_lf,
    ended,
    broken
  };

  state step(char c);
  state add_digit(char c);

  state state_;
  uint64_t left_ = 0; // bytes of the counted body or of the chunk
  uint64_t trailer_bytes_ = 0;
};

} // namespace egress
