// What a client may send as `requestState`: only what was sealed, to the letter, is opened.
#include "mcp/request_state.hpp"
#include "testing/fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  mcp::request_state_seal seal;
  auto text = fuzz::text_of(data, size);
  fuzz::require(!seal.open(text), "opened what was never sealed");
  auto state = mcp::request_state{size, 1, std::chrono::steady_clock::time_point{std::chrono::hours{size}}};
  auto sealed = seal.seal(state);
  fuzz::require(seal.open(sealed) == state, "did not open what was sealed");
  auto changed = sealed;
  for (size_t i = 0; i + 1 < size; i += 2)
    changed[data[i] % changed.size()] = static_cast<char>(data[i + 1]);
  fuzz::require(!seal.open(changed) || changed == sealed, "opened what was changed");
  return 0;
}
