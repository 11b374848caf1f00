// What the endpoint for tokens answers (RFC 6749, 5).
#pragma once

#include "oauth_client/scopes.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace oauth {

/// Of one token. Heads of HTTP requests are not longer.
inline constexpr size_t token_bytes_max = 32u << 10;
/// A longer life is taken for this one: a year.
inline constexpr int64_t token_life_s_max = int64_t{366} * 24 * 3'600;

struct tokens {
  std::string access;
  std::optional<int64_t> life_s;    ///< from now; nothing: it is not said
  std::string refresh;              ///< empty: the one that there is stays
  std::optional<scope_list> scopes; ///< nothing: those that were asked for
};

struct token_answer {
  tokens value;
  std::string error;   ///< as RFC 6749 names it, e.g. `invalid_grant`; empty: it is none of that form
  std::string problem; ///< why there are no tokens: the rest of a sentence about the authorization server
  bool ok() const { return problem.empty(); }
};

/// `secrets`: what the request had, of which nothing may be told even if the answer repeats it.
token_answer read_token_response(uint16_t status, std::string_view text, const std::vector<std::string>& secrets);

/// Whether it can be the value of a header: characters of RFC 6750, and of those that servers use beyond it only
/// visible ones.
bool is_token(std::string_view text);

} // namespace oauth
