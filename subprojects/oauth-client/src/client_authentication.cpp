#include "oauth_client/client_authentication.hpp"

#include <algorithm>

namespace oauth {

std::string_view to_string(client_authentication how) {
  switch (how) {
    case client_authentication::none: return "none";
    case client_authentication::basic: return "client_secret_basic";
    case client_authentication::post: return "client_secret_post";
  }
  return "none";
}

std::optional<client_authentication> parse_client_authentication(std::string_view text) {
  for (auto each : {client_authentication::none, client_authentication::basic, client_authentication::post})
    if (text == to_string(each))
      return each;
  return std::nullopt;
}

std::optional<client_authentication>
choose_client_authentication(const std::optional<std::vector<std::string>>& supported, bool has_secret) {
  if (!has_secret)
    return client_authentication::none;
  auto takes = [&](client_authentication how) {
    return std::find(supported->begin(), supported->end(), to_string(how)) != supported->end();
  };
  if (!supported || takes(client_authentication::basic))
    return client_authentication::basic;
  if (takes(client_authentication::post))
    return client_authentication::post;
  // The secret stays here: it is not wanted.
  return takes(client_authentication::none) ? std::optional{client_authentication::none} : std::nullopt;
}

} // namespace oauth
