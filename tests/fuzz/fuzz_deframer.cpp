// A stream gives the same messages wherever it is cut, and none is over the bound.
#include "process/framing.hpp"
#include "testing/fuzz.hpp"

#include <string>
#include <vector>

namespace {

constexpr size_t bound = 32;

std::vector<std::string> read(process::framing kind, std::string_view stream, size_t step) {
  process::deframer d{kind, bound};
  std::vector<std::string> out;
  while (!stream.empty()) {
    auto n = step < stream.size() ? step : stream.size();
    d.feed(stream.substr(0, n));
    stream.remove_prefix(n);
    for (;;) {
      auto e = d.next();
      if (e == process::deframer::event::need_more)
        break;
      bool message = e == process::deframer::event::message;
      fuzz::require(!message || d.text().size() <= bound, "a message over the bound");
      out.push_back(message ? std::string{d.text()} : "<too long>");
      if (!message && kind == process::framing::frames)
        return out; // unusable from here on
    }
  }
  return out;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto stream = fuzz::text_of(data, size);
  for (auto kind : {process::framing::lines, process::framing::frames}) {
    auto whole = read(kind, stream, size + 1);
    for (size_t step : {1u, 3u, 33u})
      fuzz::require(read(kind, stream, step) == whole, "the cut of the stream changes its messages");
  }
  return 0;
}
