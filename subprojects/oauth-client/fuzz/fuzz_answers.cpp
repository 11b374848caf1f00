// Whatever a server and its authorization server answer: nothing breaks us, and nothing that is accepted breaks a rule.
#include "oauth_client/address.hpp"
#include "oauth_client/authorization.hpp"
#include "oauth_client/challenge.hpp"
#include "oauth_client/registration.hpp"
#include "oauth_client/resource_metadata.hpp"
#include "oauth_client/server_metadata.hpp"
#include "oauth_client/token_response.hpp"
#include "testing/fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string server = "https://server.example/mcp", issuer = "https://i.example";
  auto text = fuzz::text_of(data, size);
  auto told = oauth::read_challenge(text);
  for (auto& url : oauth::resource_metadata_urls(server, told))
    if (oauth::refusal_of(url, server).empty())
      fuzz::require(url.starts_with("https://") || url.starts_with("HTTPS://") || url.find("://") == 5,
                    "an address that is not https may be asked");
  auto resource = oauth::parse_resource_metadata(text, server);
  fuzz::require(!resource.ok() || !resource.value.issuers.empty(), "a resource without an issuer");
  auto metadata = oauth::parse_server_metadata(text, issuer);
  fuzz::require(!metadata.ok() || metadata.value.issuer == issuer, "metadata of another issuer");
  (void)oauth::refusal_of_endpoints(metadata.value, server);
  oauth::authorization_expectation expected;
  expected.state = "a-state";
  expected.issuer = issuer;
  expected.tells_issuer = true;
  auto answer = oauth::read_authorization_answer(text, expected);
  fuzz::require(answer.code.empty() || (answer.is_ours && answer.problem.empty()), "a code of nobody");
  for (uint16_t status : {200, 400}) {
    auto tokens = oauth::read_token_response(status, text, {"a secret"});
    fuzz::require(!tokens.ok() || oauth::is_token(tokens.value.access), "a token that no header can have");
    fuzz::require(tokens.problem.find("a secret") == std::string::npos, "a secret is told");
    (void)oauth::read_registration(status, text, metadata.value);
  }
  return 0;
}
