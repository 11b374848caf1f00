#include "login/person_question.hpp"

#include "login/requests.hpp"
#include "oauth_client/address.hpp"
#include "text/printable.hpp"
#include "text/utf8.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

namespace login {

namespace {

constexpr size_t asked_name_bytes_max = 128;
constexpr size_t asked_scopes_bytes_max = 300;

std::string shown(std::string_view text, size_t bytes_max) { return text::printable(text::excerpt(text, bytes_max)); }

/// Of an address that may be longer than what the rules of oauth_client/address.hpp look at.
std::optional<oauth::address> address_of_page(const std::string& url) {
  return oauth::parse_address(std::string_view{url}.substr(0, url.find('?')));
}

} // namespace

std::string problem_of_page(const authorization_page& page) {
  if (page.url.size() > page_address_bytes_max)
    return "sends people to an address of " + std::to_string(page.url.size()) + " bytes; "
           + std::to_string(page_address_bytes_max) + " is the limit";
  bool is_plain = std::all_of(page.url.begin(), page.url.end(), [](char c) { return c > ' ' && c < '\x7f'; });
  return is_plain && address_of_page(page.url) ? "" : "sends people to what is no address of the web";
}

std::string person_question(const target& at, const authorization_page& page) {
  auto where = address_of_page(page.url);
  auto host = where ? oauth::origin_of(*where) : std::string{};
  auto out = "Log in at MCP server '" + shown(at.name, asked_name_bytes_max) + "' (" + shown_address(at.url)
             + "): a program that runs for you calls it, and it wants to know who asks. The page is at " + host
             + ", of the authorization server " + shown_address(page.issuer);
  out += page.scopes.empty() ? "" : "; rights: " + shown(oauth::join_scopes(page.scopes), asked_scopes_bytes_max);
  return out + ". Open it only if you know them both.";
}

} // namespace login
