// What this process has at the moment, in which server and clients are.
#pragma once

#include <array>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace http_server_test {

/// Of memory; 0: it is not told.
inline size_t resident_bytes() {
  auto from = ::open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  std::array<char, 256> text{};
  auto count = ::read(from, text.data(), text.size() - 1);
  ::close(from);
  auto* second = count > 0 ? std::strchr(text.data(), ' ') : nullptr;
  return second ? std::strtoul(second, nullptr, 10) * 4'096 : 0;
}

inline size_t descriptors() {
  size_t found = 0;
  for (int i = 0; i < 1'024; ++i)
    found += ::fcntl(i, F_GETFD) >= 0 ? 1 : 0;
  return found;
}

} // namespace http_server_test
