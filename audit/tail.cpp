#include "audit/tail.hpp"

#include "text/digest.hpp"

#include <algorithm>
#include <array>
#include <cerrno>

#include <unistd.h>

namespace audit {

namespace {

constexpr size_t backward_bytes = 16u << 10;
constexpr size_t beginning_bytes_max = 256;

/// False: not all of it is there.
bool read_at(int fd, uint64_t at, char* to, size_t count) {
  while (count > 0) {
    auto n = ::pread(fd, to, count, static_cast<off_t>(at));
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return false;
    to += n;
    at += static_cast<uint64_t>(n);
    count -= static_cast<size_t>(n);
  }
  return true;
}

/// Where the line that ends before `end` begins. False: it can not be read.
bool find_begin(int fd, uint64_t end, uint64_t& begin) {
  std::array<char, backward_bytes> chunk;
  for (begin = end; begin > 0;) {
    auto count = static_cast<size_t>(std::min<uint64_t>(chunk.size(), begin));
    if (!read_at(fd, begin - count, chunk.data(), count))
      return false;
    std::string_view text{chunk.data(), count};
    if (auto found = text.rfind('\n'); found != text.npos) {
      begin -= count - found - 1;
      return true;
    }
    begin -= count;
  }
  return true;
}

bool read_between(int fd, uint64_t begin, uint64_t end, last_line& to) {
  std::array<char, backward_bytes> chunk;
  text::stream_digest sum;
  while (begin < end) {
    auto count = static_cast<size_t>(std::min<uint64_t>(chunk.size(), end - begin));
    if (!read_at(fd, begin, chunk.data(), count))
      return false;
    sum.add({chunk.data(), count});
    to.beginning.append(chunk.data(), std::min(count, beginning_bytes_max - to.beginning.size()));
    begin += count;
  }
  to.digest = sum.hex();
  return true;
}

} // namespace

last_line read_last_line(int fd, uint64_t size) {
  last_line out;
  if (size == 0) {
    out.readable = true;
    return out;
  }
  char last = 0;
  uint64_t begin = 0;
  if (!read_at(fd, size - 1, &last, 1))
    return out;
  out.is_torn = last != '\n';
  auto end = out.is_torn ? size : size - 1;
  out.readable = find_begin(fd, end, begin) && read_between(fd, begin, end, out);
  return out;
}

} // namespace audit
