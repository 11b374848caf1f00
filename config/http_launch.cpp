#include "config/http_launch.hpp"

#include "config/entry_secrets.hpp"
#include "config/entry_variables.hpp"
#include "config/proxy_secrets.hpp"
#include "http/field_text.hpp"
#include "text/ascii.hpp"
#include "text/utf8.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace config {

using msg::errc;
using msg::fault;

namespace {

constexpr size_t shown_header_bytes_max = 100;

/// The connection writes these itself: what it says and what the server may answer.
constexpr std::string_view own_headers[]{
  "accept", "accept-encoding", "content-type", "last-event-id", "mcp-protocol-version", "mcp-session-id", "te"};

/// They would make another request of it than the one that is meant: to another server, in other pieces, or one that
/// waits for a word of the server first.
constexpr std::string_view refused_headers[]{"connection", "content-length", "expect", "host", "transfer-encoding"};

bool is_own(std::string_view name) {
  return std::ranges::find(own_headers, text::in_small_letters(name)) != std::end(own_headers);
}

bool is_refused(std::string_view name) {
  return std::ranges::find(refused_headers, text::in_small_letters(name)) != std::end(refused_headers);
}

bool is_one_word(std::string_view url) {
  return std::all_of(url.begin(), url.end(), [](char c) { return static_cast<unsigned char>(c) > ' ' && c != 0x7f; });
}

/// Small letters: what reaches a server is compared with it.
std::string with_small_scheme(std::string url) {
  auto end = std::min(url.find("://"), url.size());
  return text::in_small_letters(url.substr(0, end)) + url.substr(end);
}

/// Variables without a value that stay in a text as they are written; `what` is told of it.
void note_unset(const std::string& what, const std::string& text, const variable_map& looked_up, http_launch& out) {
  for (auto& [name, value] : looked_up)
    if (value.empty() && !name.empty() && text.find('$') != text.npos && text.find(name) != text.npos)
      out.unset.push_back(what + " is sent with the name of a variable that is not set, as it is written: "
                          + text::quoted(name, shown_header_bytes_max));
}

/// None, or what no header may be.
std::string wrong_header(const std::string& name, const std::string& value) {
  auto shown = "its header " + text::quoted(name, shown_header_bytes_max);
  if (!http::is_token(name) || !http::is_field_value(value))
    return shown + " has a character that can not be sent, such as the end of a line";
  if (is_refused(name))
    return shown + " can not be set: code-executor and its connection to the server decide on it; leave it out";
  return {};
}

fault wrong(const msg::server_entry& entry, const std::string& what) {
  return fault{errc::server_start_failed, what + "; check the entry in " + entry.source}.at(entry.name);
}

} // namespace

msg::outcome<http_launch> make_http_launch(const msg::server_entry& entry, const environment& env,
                                           const variable_lookup& variable) {
  if (auto why = msg::refusal_to_start(entry); why.code != errc::none) // before anything is expanded
    return why;
  variable_map looked_up, fields;
  auto noted = noting(variable, looked_up);
  auto scope = scope_of(entry, env, noted);
  expander expanded{scope};
  http_launch out;
  out.url = expanded(entry.url);
  note_unset("its `url`", out.url, looked_up, out);
  for (auto& [name, text] : entry.headers) {
    auto& [header, value] = out.headers.emplace_back(name, expanded(text));
    note_unset("its header " + text::quoted(header, shown_header_bytes_max), value, looked_up, out);
  }
  for (auto& [name, from] : entry.header_names)
    if (auto value = noted(from); !value.empty())
      out.headers.emplace_back(name, value);
  if (auto token = entry.bearer_name.empty() ? std::string{} : noted(entry.bearer_name); !token.empty())
    out.headers.emplace_back("Authorization", "Bearer " + token);
  out.login = entry.login;
  for (auto* text : {&out.login.client_id, &out.login.client_secret, &out.login.metadata_url})
    *text = expanded(*text);
  if (auto problem = expanded.problem(); problem.code != errc::none)
    return wrong(entry, problem.message);
  out.url = with_small_scheme(std::move(out.url));
  if (!http::is_web(out.url) || !is_one_word(out.url))
    return wrong(entry, "its `url` is no address that begins with https:// or http://");
  for (auto& [name, value] : out.headers) {
    if (auto problem = wrong_header(name, value); !problem.empty())
      return wrong(entry, problem);
    fields.emplace(name, value);
  }
  std::erase_if(out.headers, [](auto& header) { return is_own(header.first); });
  fields.emplace("url", out.url);
  out.secrets = secrets_of({&looked_up, &fields}, {});
  if (!out.login.client_secret.empty())
    out.secrets.push_back(out.login.client_secret);
  std::ranges::move(proxy_secrets(variable), std::back_inserter(out.secrets));
  return out;
}

bool takes_login(const http_launch& launch) {
  return !launch.login.is_off && std::none_of(launch.headers.begin(), launch.headers.end(), [](auto& header) {
    return text::in_small_letters(header.first) == "authorization";
  });
}

} // namespace config
