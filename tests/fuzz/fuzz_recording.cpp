// A recording that somebody has written: read, and asked.
#include "recording/recorded.hpp"

#include <boost/json/object.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto fd = ::memfd_create("recording", MFD_CLOEXEC);
  auto head = recording::first_line("s");
  if (::write(fd, head.data(), head.size()) < 0 || ::write(fd, data, size) < 0)
    std::abort();
  auto got = recording::recorded::read("/proc/self/fd/" + std::to_string(fd));
  ::close(fd);
  if (!got.ok())
    return 0;
  recording::question asked{"a", "tools/call", {{"name", "b"}}};
  for (int i = 0; i < 3; ++i)
    if (auto found = got.value.answer(asked))
      static_cast<void>(found->took());
  static_cast<void>(got.value.nearest(asked));
  return 0;
}
