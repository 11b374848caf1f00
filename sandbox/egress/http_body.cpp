#include "sandbox/egress/http_body.hpp"

#include "messages/limits.hpp"
#include "text/percent.hpp"

#include <algorithm>

namespace egress {

namespace {

/// 15 hexadecimal digits can not overflow.
constexpr uint64_t chunk_bytes_max = 1ull << 56;

} // namespace

body_scanner::body_scanner(body_kind kind, uint64_t bytes)
  : state_(kind == body_kind::chunked ? state::size_first : state::counted),
    left_(kind == body_kind::counted       ? bytes
          : kind == body_kind::until_close ? UINT64_MAX
                                           : 0) {
  if (state_ == state::counted && left_ == 0)
    state_ = state::ended;
}

size_t body_scanner::take(std::string_view bytes) {
  size_t taken = 0;
  while (taken < bytes.size() && !ended() && !broken()) {
    if (state_ == state::counted || state_ == state::data) {
      auto n = std::min<uint64_t>(left_, bytes.size() - taken);
      taken += n;
      left_ -= n;
      if (left_ == 0)
        state_ = state_ == state::data ? state::data_cr : state::ended;
    } else {
      state_ = step(bytes[taken]);
      taken += broken() ? 0 : 1;
    }
  }
  return taken;
}

body_scanner::state body_scanner::add_digit(char c) {
  auto digit = text::hex_digit(c);
  if (digit < 0 || left_ >= chunk_bytes_max)
    return state::broken;
  left_ = left_ << 4 | static_cast<uint64_t>(digit);
  return state::size;
}

/// No chunk extensions: neither clients nor servers send them, and programs differ in how they read them.
body_scanner::state body_scanner::step(char c) {
  switch (state_) {
    case state::size_first: return add_digit(c);
    case state::size: return c == '\r' ? state::size_end : add_digit(c);
    case state::size_end: return c != '\n' ? state::broken : left_ > 0 ? state::data : state::trailer_first;
    case state::data_cr: return c == '\r' ? state::data_lf : state::broken;
    case state::data_lf: return c == '\n' ? state::size_first : state::broken;
    case state::trailer_first:
      if (c == '\r')
        return state::last_lf;
      [[fallthrough]];
    case state::trailer:
      if (c == '\n' || c == '\0' || ++trailer_bytes_ > msg::limits::egress_head_bytes_max)
        return state::broken;
      return c == '\r' ? state::trailer_lf : state::trailer;
    case state::trailer_lf: return c == '\n' ? state::trailer_first : state::broken;
    case state::last_lf: return c == '\n' ? state::ended : state::broken;
    case state::counted:
    case state::data:
    case state::ended:
    case state::broken: break;
  }
  return state::broken;
}

} // namespace egress
