#include "oauth_client/authorization.hpp"

#include "oauth_client/form.hpp"
#include "oauth_client/pkce.hpp"
#include "secret_forms.hpp"
#include "text/printable.hpp"
#include "text/utf8.hpp"

#include <algorithm>
#include <array>

namespace oauth {

namespace {

constexpr size_t error_bytes_max = 64;        // the registered ones have 30 at most
constexpr size_t description_bytes_max = 300; // a sentence or two

std::string value_in(const form& in, std::string_view name) {
  auto found = std::find_if(in.begin(), in.end(), [&](auto& each) { return each.first == name; });
  return found == in.end() ? std::string{} : found->second;
}

bool has(const form& in, std::string_view name) {
  return std::any_of(in.begin(), in.end(), [&](auto& each) { return each.first == name; });
}

/// Two of a kind: one reader takes the first, another the last.
bool has_doubled(const form& in) {
  constexpr std::array<std::string_view, 5> single{"state", "code", "iss", "error", "error_description"};
  return std::any_of(single.begin(), single.end(), [&](auto name) {
    return std::count_if(in.begin(), in.end(), [&](auto& each) { return each.first == name; }) > 1;
  });
}

} // namespace

std::string authorization_url(const authorization_request& of) {
  form fields{{"response_type", "code"}, {"client_id", of.client_id},           {"redirect_uri", of.redirect_uri},
              {"state", of.state},       {"code_challenge", of.code_challenge}, {"code_challenge_method", "S256"}};
  if (!of.scopes.empty())
    fields.emplace_back("scope", join_scopes(of.scopes));
  if (!of.resource.empty())
    fields.emplace_back("resource", of.resource);
  bool has_query = of.endpoint.find('?') != std::string::npos;
  bool is_open = has_query && (of.endpoint.ends_with('?') || of.endpoint.ends_with('&'));
  return of.endpoint + (is_open ? "" : has_query ? "&" : "?") + form_text(fields);
}

authorization_answer read_authorization_answer(std::string_view query, const authorization_expectation& expected) {
  authorization_answer out;
  auto fields = query.size() <= authorization_query_bytes_max ? read_form(query) : form{};
  out.is_ours = is_same_secret(value_in(fields, "state"), expected.state) && !has_doubled(fields);
  if (!out.is_ours)
    return out;
  auto code = value_in(fields, "code"), error = value_in(fields, "error");
  // Before anything else of it counts, errors included: it may be the answer of another authorization server (mix-up).
  if (expected.tells_issuer && !has(fields, "iss"))
    out.problem = "has not said who it is ('iss'), although it always does";
  else if (has(fields, "iss") && value_in(fields, "iss") != expected.issuer)
    out.problem = "is another one than the one that was asked ('iss')";
  else if (!error.empty())
    out.problem = "has refused the login: " + error_text(error, value_in(fields, "error_description"), {code});
  else if (code.empty() || text::find_control(code) != std::string::npos)
    out.problem = "has sent the browser back without a code";
  else
    out.code = std::move(code);
  return out;
}

std::string error_text(std::string_view error, std::string_view description, const std::vector<std::string>& secrets) {
  std::string out = tells_one_of(error, secrets) ? "an error" : text::printable(text::quoted(error, error_bytes_max));
  if (!description.empty() && !tells_one_of(description, secrets))
    out += " (" + text::printable(text::quoted(description, description_bytes_max)) + ")";
  return out;
}

} // namespace oauth
