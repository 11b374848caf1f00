// No text is a token of an issuer that has signed nothing, and none breaks us.
#include "json_web_token/verify.hpp"
#include "testing/fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const auto keys = [] {
    std::string problem;
    return json_web_token::key_set::parse(
      R"({"keys":[{"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}]})",
      problem);
  }();
  auto text = fuzz::text_of(data, size);
  auto verified = json_web_token::verify(text, keys, {"i", "a"}, std::chrono::system_clock::now());
  fuzz::require(verified.what != json_web_token::verdict::valid, "a token that was never signed counts");
  std::string problem;
  json_web_token::key_set::parse(text, problem);
  return 0;
}
