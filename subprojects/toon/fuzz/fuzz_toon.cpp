// Any text is a value or a problem with a place; what was read can be written, and reads back as the same value.
#include "toon/decode.hpp"
#include "toon/encode.hpp"

// Boost.JSON is used header-only: its one translation unit.
#include <boost/json/src.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace {

void require(bool holds, const char* what) {
  if (holds)
    return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

void check(std::string_view text, toon::checks mode) {
  toon::decode_options options;
  options.checks = mode;
  options.value_bytes_max = size_t{16} << 20;
  auto read = toon::decode(text, options);
  if (!read.ok()) {
    require(read.problem.line > 0 && read.problem.column > 0, "a problem without a place");
    return;
  }
  for (auto separator : {toon::delimiter::comma, toon::delimiter::tab, toon::delimiter::pipe}) {
    toon::encode_options to;
    to.delimiter = separator;
    auto written = toon::encode(read.value, to);
    require(written.ok(), "what was read can not be written");
    auto again = toon::decode(written.text);
    require(again.ok(), "what was written can not be read");
    require(again.value == read.value, "another value came back");
    require(toon::encode(again.value, to).text == written.text, "another text came back");
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text{reinterpret_cast<const char*>(data), size};
  check(text, toon::checks::strict);
  check(text, toon::checks::lenient);
  return 0;
}
