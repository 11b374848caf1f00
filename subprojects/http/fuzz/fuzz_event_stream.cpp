// What a server sends as a stream of events: the same events come of it in one piece and byte by byte, within its
// bounds.
#include "http/event_stream.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace {

constexpr size_t event_bytes_max = 64;

void require(bool holds, const char* what) {
  if (holds)
    return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

struct reading {
  http::event_stream_parser parser{event_bytes_max};
  std::vector<http::stream_event> events;

  void feed(std::string_view bytes) {
    for (auto& event : parser.feed(bytes)) {
      require(event.data.size() <= event_bytes_max && event.name.size() <= event_bytes_max,
              "an event that is too long");
      events.push_back(std::move(event));
    }
    require(parser.waiting_bytes() <= 2 * event_bytes_max, "more is held than one event and one line");
    require(parser.last_id().size() <= http::stream_id_bytes_max, "an id that is too long");
    require(parser.last_id().find_first_of(std::string_view{"\r\n\0", 3}) == std::string::npos,
            "an id that ends a header");
    require(!parser.retry() || *parser.retry() <= http::retry_max, "a pause that is too long");
  }
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text{reinterpret_cast<const char*>(data), size};
  reading whole, bytes;
  whole.feed(text);
  for (size_t i = 0; i < text.size(); ++i)
    bytes.feed(text.substr(i, 1));
  require(whole.events.size() == bytes.events.size(), "other events in pieces");
  for (size_t i = 0; i < whole.events.size(); ++i)
    require(whole.events[i].name == bytes.events[i].name && whole.events[i].data == bytes.events[i].data,
            "another event in pieces");
  require(whole.parser.last_id() == bytes.parser.last_id() && whole.parser.retry() == bytes.parser.retry()
            && whole.parser.too_long() == bytes.parser.too_long(),
          "another end in pieces");
  return 0;
}
