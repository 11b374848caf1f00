#include "oauth_client/token_response.hpp"

#include "json_members.hpp"
#include "oauth_client/authorization.hpp"
#include "oauth_client/resource_metadata.hpp"
#include "text/ascii.hpp"

#include <algorithm>
#include <utility>

namespace oauth {

namespace {

constexpr std::string_view refused_so = "has answered with a token that can not be used: ";
constexpr size_t texts_bytes_max = 4u << 10;

token_answer failed(std::string problem) { return {{}, {}, std::move(problem)}; }

token_answer read_error(uint16_t status, std::string_view text, const std::vector<std::string>& secrets) {
  json_members members{text, metadata_bytes_max};
  auto error = members.text("error", texts_bytes_max);
  auto description = members.text("error_description", texts_bytes_max);
  if (!members.problem().empty() || error.empty())
    return failed("has answered with HTTP status " + std::to_string(status));
  auto told = "has answered: " + error_text(error, description, secrets);
  return {{}, std::move(error), std::move(told)};
}

} // namespace

bool is_token(std::string_view text) {
  return !text.empty() && text.size() <= token_bytes_max
         && std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7f; });
}

token_answer read_token_response(uint16_t status, std::string_view text, const std::vector<std::string>& secrets) {
  if (status != 200 && status != 201)
    return read_error(status, text, secrets);
  json_members members{text, metadata_bytes_max};
  if (members.problem().empty() && members.has("error")) // some say it so
    return read_error(status, text, secrets);
  tokens out;
  auto kind = members.needed_text("token_type");
  out.access = members.needed_text("access_token", token_bytes_max);
  out.refresh = members.text("refresh_token", token_bytes_max);
  out.life_s = members.seconds("expires_in");
  bool has_scope = members.has("scope");
  auto scope = members.text("scope", scopes_max * (scope_bytes_max + 1));
  if (!members.problem().empty())
    return failed(std::string{refused_so} + members.problem());
  if (text::in_small_letters(kind) != "bearer")
    return failed(std::string{refused_so} + "it is not of the type Bearer");
  if (!is_token(out.access) || (!out.refresh.empty() && !is_token(out.refresh)))
    return failed(std::string{refused_so} + "it has characters that no header can have");
  if (out.life_s)
    out.life_s = std::min(*out.life_s, token_life_s_max);
  if (has_scope)
    out.scopes = split_scopes(scope);
  return {std::move(out), {}, {}};
}

} // namespace oauth
