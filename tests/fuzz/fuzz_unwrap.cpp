// Any object is a result or a failure of the tool, and what it gives is JSON.
#include "proxy/unwrap.hpp"
#include "testing/fuzz.hpp"

#include <boost/json/value.hpp>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto parsed = msg::document::parse(fuzz::text_of(data, size));
  if (!parsed.ok() || !parsed.value.value().is_object())
    return 0;
  auto out = proxy::unwrap(parsed.value);
  if (out.ok())
    fuzz::require(msg::document::parse(out.value.text()).ok(), "a value that is no JSON");
  else
    fuzz::require(out.error.code == msg::errc::tool_failed && !out.error.message.empty(), "a fault that says nothing");
  return 0;
}
