#include "content_filter/known_content.hpp"

#include "content_filter/stream_filter.hpp"

#include <algorithm>

namespace content_filter {

bool knows_content(std::string_view text) {
  stream_filter filter{{}};
  bool is_fine = filter.feed(text).ok() && filter.finish().ok();
  auto& found = filter.counts().found;
  return !is_fine || std::any_of(found.begin(), found.end(), [](auto n) { return n > 0; });
}

} // namespace content_filter
