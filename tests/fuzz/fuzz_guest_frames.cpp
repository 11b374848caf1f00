// Whatever a guest says is one of the known frames, and what we answer is JSON.
#include "proxy/guest_frames.hpp"
#include "testing/fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto parsed = msg::document::parse(fuzz::text_of(data, size));
  if (!parsed.ok())
    return 0;
  auto frame = proxy::parse_frame(parsed.value);
  if (auto* mistake = std::get_if<proxy::guest_mistake>(&frame)) {
    fuzz::require(mistake->id > 0, "a mistake that can not be answered");
    fuzz::require(msg::document::parse(proxy::reply_frame(mistake->id, mistake->why).text()).ok(),
                  "a reply that is no JSON");
  }
  if (auto* violation = std::get_if<proxy::guest_violation>(&frame))
    fuzz::require(!violation->problem.empty(), "a violation without a reason");
  return 0;
}
