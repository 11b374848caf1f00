#include "mcp/log_allowance.hpp"

#include "text/utf8.hpp"

#include <utility>

namespace mcp {

std::string log_allowance::shown(std::string text, time_point now) {
  if (now >= until_) {
    until_ = now + log_allowance_time;
    bytes_left_ = log_allowance_bytes_max;
  }
  if (bytes_left_ == 0)
    return {};
  if (text.size() < bytes_left_) {
    bytes_left_ -= text.size();
    return text;
  }
  return text::quoted(text, std::exchange(bytes_left_, 0)) + "; more of it is not shown for a minute";
}

} // namespace mcp
