#include "login/callback_page.hpp"

#include "text/markup.hpp"

#include "text/ascii.hpp"
#include "text/utf8.hpp"

#include <algorithm>

namespace login {

namespace {

constexpr std::string_view callback_path = "/callback";

std::string page(std::string_view status, std::string_view title, std::string_view words) {
  std::string body =
    "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>code-executor</title></head>";
  body.append("<body><h1>")
    .append(text::escape_markup(title))
    .append("</h1><p>")
    .append(text::escape_markup(words))
    .append("</p></body></html>");
  std::string out = "HTTP/1.1 ";
  out.append(status).append("\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: ");
  out.append(std::to_string(body.size()));
  // The address has the code in it: it is not kept, and no other site is told of it.
  out.append("\r\nCache-Control: no-store\r\nReferrer-Policy: no-referrer\r\nX-Content-Type-Options: nosniff"
             "\r\nContent-Security-Policy: default-src 'none'; frame-ancestors 'none'\r\nConnection: close\r\n\r\n");
  return out.append(body);
}

/// The value of the field `Host`, in small letters; empty: there is none, or more than one.
std::string host_in(std::string_view head) {
  auto small = text::in_small_letters(head);
  constexpr std::string_view name = "\r\nhost:";
  auto at = small.find(name);
  if (at == small.npos || small.find(name, at + 1) != small.npos)
    return {};
  auto begin = at + name.size();
  return std::string{text::trimmed(std::string_view{small}.substr(begin, small.find("\r\n", begin) - begin))};
}

} // namespace

std::optional<std::string_view> callback_query(std::string_view head, uint16_t port) {
  auto line = head.substr(0, head.find("\r\n"));
  constexpr std::string_view verb = "GET ";
  auto end = line.rfind(" HTTP/1.");
  if (!line.starts_with(verb) || end == line.npos || end < verb.size())
    return std::nullopt;
  auto where = line.substr(verb.size(), end - verb.size());
  auto query = std::min(where.find('?'), where.size());
  auto host = host_in(head), ending = ":" + std::to_string(port);
  if (where.substr(0, query) != callback_path || (host != "127.0.0.1" + ending && host != "localhost" + ending))
    return std::nullopt;
  return where.substr(std::min(query + 1, where.size()));
}

std::string not_found_page() { return page("404 Not Found", "Nothing is here", "Logins come back to /callback."); }

std::string callback_page(const oauth::authorization_answer& answer) {
  if (!answer.is_ours)
    return page("400 Bad Request", "This is not the login that is waited for",
                "Begin it anew where it was asked for, and use the newest address.");
  if (!answer.problem.empty())
    return page("200 OK", "The login has failed", "The authorization server " + text::valid_utf8(answer.problem) + ".");
  return page("200 OK", "Thank you",
              "This window may be closed; where the login was asked for, it is said whether it is complete.");
}

} // namespace login
