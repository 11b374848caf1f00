// Secrets of several parts: JSON web tokens and PEM blocks.
#include "content_filter/match.hpp"

#include <re2/re2.h>

#include <algorithm>

namespace content_filter {

namespace {

/// How base64 of `{"`, `{ "` and `{` with a line end begins.
bool begins_like_json(std::string_view text) {
  return text.starts_with("eyJ") || text.starts_with("eyA") || text.starts_with("ewo") || text.starts_with("ew0");
}

constexpr size_t json_begin_bytes = 3;
/// `{"alg":""}`
constexpr size_t jwt_head_bytes_min = 14;

constexpr std::string_view pem_begin = "-----BEGIN ";
constexpr std::string_view pem_closing = "-----END ";
constexpr size_t pem_label_bytes_max = 64;

/// Only with something inside that is encoded, or a header: text about PEM is no block. Between them white space, also
/// as escapes and between the parts of a text in a program.
const re2::RE2& pem_pattern() {
  static const re2::RE2 pattern{"-----BEGIN [A-Z0-9 ]{3,64}-----(?:\\\\[nrt]|[\\s\"'+,;|>#*/\\\\]){0,64}"
                                "(?:[A-Za-z0-9+/]{24}|[A-Z][A-Za-z-]{2,20}: )"};
  return pattern;
}

bool is_of_label(char c) { return is_of(bytes::upper | bytes::digit, c) || c == ' '; }

} // namespace

match look_for_token(const place& p) {
  if (p.here() != 'e' || (is_of(bytes::word, p.before(1)) && !is_behind_escape(p)))
    return seen_nothing;
  auto rest = p.rest();
  if (rest.size() >= json_begin_bytes && !begins_like_json(rest))
    return seen_nothing;
  auto head_end = run_end(p.text, p.at, bytes::word, jwt_head_bytes_max);
  if (head_end - p.at == jwt_head_bytes_max)
    return seen_nothing;
  if (p.is_last(head_end))
    return seen_too_little;
  if (head_end - p.at < jwt_head_bytes_min || head_end == p.text.size() || p.text[head_end] != '.')
    return seen_nothing;
  auto claims = p.text.substr(head_end + 1);
  if (claims.size() < json_begin_bytes && !p.is_end)
    return seen_too_little;
  if (!begins_like_json(claims))
    return seen_nothing;
  return {verdict::found, content_class::jwt, head_end + 1 + json_begin_bytes, {bytes::word | bytes::equals, 1, false}};
}

match look_for_pem(const place& p) {
  if (p.here() != '-')
    return seen_nothing;
  auto rest = p.rest().substr(0, pem_begin_bytes_max);
  if (!rest.starts_with(pem_begin))
    return rest.size() < pem_begin.size() && !p.is_end && pem_begin.starts_with(rest) ? seen_too_little : seen_nothing;
  re2::StringPiece subject{rest.data(), rest.size()}, inside;
  if (pem_pattern().Match(subject, 0, subject.size(), re2::RE2::ANCHOR_START, &inside, 1))
    return {verdict::found, content_class::pem, p.at + pem_begin.size(), {0, 0, true}};
  return rest.size() < pem_begin_bytes_max && !p.is_end ? seen_too_little : seen_nothing;
}

pem_end look_for_pem_end(const place& p) {
  for (auto at = p.text.find('-', p.at); at != p.text.npos; at = p.text.find('-', at + 1)) {
    auto rest = p.text.substr(at);
    if (!rest.starts_with(pem_closing)) {
      if (pem_closing.starts_with(rest) && !p.is_end)
        return {false, at};
      continue;
    }
    size_t label = pem_closing.size();
    auto label_max = std::min(rest.size(), label + pem_label_bytes_max);
    while (label < label_max && is_of_label(rest[label]))
      ++label;
    auto dashes = run_end(rest, label, bytes::dash, 5);
    if (dashes == label + 5)
      return {true, at + dashes};
    if (dashes == rest.size() && !p.is_end)
      return {false, at};
  }
  return {false, p.text.size()};
}

} // namespace content_filter
