// What a client says in the head of a request (2026-07-28), and what we say to a server there: texts in base64,
// arguments of tools.
#include "mcp/field_coding.hpp"
#include "mcp/header_parameters.hpp"
#include "messages/document.hpp"
#include "testing/fuzz.hpp"

#include <algorithm>
#include <string>

namespace {

bool fits_into_a_header(const std::string& value) {
  return std::all_of(value.begin(), value.end(), [](unsigned char c) { return c == '\t' || (c >= ' ' && c < 0x7f); })
         && (value.empty() || (value.front() != ' ' && value.back() != ' '));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto text = fuzz::text_of(data, size);
  auto coded = mcp::coded_field(text);
  fuzz::require(fits_into_a_header(coded), "what no header can hold");
  fuzz::require(mcp::decoded_field(coded) == text, "comes out as another text");
  (void)mcp::decoded_field(text);
  auto parsed = msg::document::parse(text);
  auto* definition = parsed.ok() ? parsed.value.value().if_object() : nullptr;
  if (!definition)
    return 0;
  auto found = mcp::find_header_parameters(*definition);
  for (auto& [name, value] : mcp::headers_of(found.all, parsed.value.value()))
    fuzz::require(fits_into_a_header(value) && fits_into_a_header(name), "what no header can hold");
  return 0;
}
