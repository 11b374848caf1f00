// A path of a guest into a value: a part of the value, or a complaint that is text; and what is said of any value is
// short.
#include "messages/limits.hpp"
#include "proxy/artifacts/part.hpp"
#include "proxy/artifacts/sample.hpp"
#include "proxy/artifacts/shape.hpp"
#include "testing/fuzz.hpp"
#include "text/json_text.hpp"
#include "text/utf8.hpp"

#include <boost/json/value.hpp>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto rest = fuzz::text_of(data, size);
  msg::artifact_query query;
  query.path = fuzz::piece(rest, '\n');
  query.offset = query.path.size() % 3;
  query.limit = query.path.size() % 2 == 0 ? msg::artifact_query::no_limit : 2;
  auto whole = msg::document::parse(rest);
  if (!whole.ok())
    return 0;
  auto got = artifacts::part(whole.value, query);
  fuzz::require(got.ok() ? msg::document::parse(got.value.text()).ok()
                         : text::valid_utf8(got.error.message) == got.error.message,
                "no text");
  fuzz::require(artifacts::shape_of(whole.value.value()).size() <= msg::limits::shape_bytes_max, "a long shape");
  auto sample = artifacts::sample_of(whole.value.value(), msg::limits::sample_bytes_max);
  fuzz::require(sample.kind() == whole.value.value().kind()
                  && text::to_text(sample).size() <= msg::limits::sample_bytes_max,
                "a large sample");
  return 0;
}
