#include "content_filter/match.hpp"

#include <re2/re2.h>

#include <algorithm>
#include <string>

namespace content_filter {

namespace {

constexpr byte_set local_set = bytes::dotted | bytes::plus;

/// Ends of file names that are no domains: `icon@2x.png`, `getty@tty1.service`. Those that are both (`.md`, `.sh`)
/// count as domains.
constexpr std::string_view no_domains[] = {
  "png",  "jpg",  "jpeg", "gif",  "svg",  "webp",    "ico",    "css",   "scss",  "js",    "mjs",   "cjs",
  "jsx",  "ts",   "tsx",  "json", "html", "htm",     "txt",    "xml",   "yml",   "yaml",  "toml",  "lock",
  "tgz",  "tar",  "gz",   "bz",   "xz",   "exe",     "dll",    "so",    "jar",   "class", "whl",   "deb",
  "rpm",  "log",  "conf", "cfg",  "ini",  "service", "socket", "timer", "mount", "slice", "scope", "target",
  "path", "swap", "wasm", "woff", "ttf",  "pdf",     "mp",     "bin",   "dat",   "db",    "tmp",   "bak"};
/// Kotlin: `this@Activity.field`.
constexpr std::string_view no_people[] = {"this", "super", "return"};

/// What follows the `@`.
const re2::RE2& domain_pattern() {
  static const re2::RE2 pattern{"(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\\.)+([A-Za-z]{2,24})"};
  return pattern;
}

/// The byte belongs to an escape: `\n`, `%3D`.
bool is_in_escape(const place& p) {
  auto c = p.here();
  if (p.before(1) == '\\')
    return c == 'n' || c == 'r' || c == 't';
  return p.before(1) == '%' && is_hex(c) && p.at + 1 < p.text.size() && is_hex(p.text[p.at + 1]);
}

/// A local part begins here: not inside of one, nor behind signs that one would go on with.
bool is_start(const place& p) {
  if (!is_of(bytes::alnum, p.here()) || is_in_escape(p))
    return false;
  if (!is_of(local_set, p.before(1)) || is_behind_escape(p))
    return true;
  return !is_of(bytes::alnum, p.before(1)) && !is_of(bytes::alnum, p.before(2));
}

template <size_t Size>
bool is_one_of(const std::string_view (&list)[Size], std::string_view what) {
  return std::find(std::begin(list), std::end(list), what) != std::end(list);
}

std::string lower(std::string_view text) {
  std::string out{text};
  std::transform(out.begin(), out.end(), out.begin(), to_lower);
  return out;
}

/// How long the sign between the parts is: `@`, or `%40` as URLs have it. 0: there is none.
size_t at_sign(std::string_view rest) { return rest.starts_with('@') ? 1 : rest.starts_with("%40") ? 3 : 0; }

} // namespace

match look_for_email(const place& p) {
  if (!is_start(p))
    return seen_nothing;
  auto local_end = run_end(p.text, p.at, local_set, email_local_bytes_max + 1);
  if (local_end - p.at > email_local_bytes_max)
    return seen_nothing;
  if (p.is_last(local_end))
    return seen_too_little;
  auto behind = p.text.substr(local_end);
  if (behind.size() < 3 && !p.is_end && std::string_view{"%40"}.starts_with(behind))
    return seen_too_little;
  auto sign = at_sign(behind);
  auto local = p.text.substr(p.at, local_end - p.at);
  if (sign == 0 || local.ends_with('.') || is_one_of(no_people, local))
    return seen_nothing;

  auto begin = local_end + sign;
  auto end = run_end(p.text, begin, bytes::alnum | bytes::dash | bytes::dot, email_domain_bytes_max + 1);
  if (end - begin > email_domain_bytes_max)
    return seen_nothing;
  if (p.is_last(end))
    return seen_too_little;
  bool is_code = end < p.text.size() && (p.text[end] == '_' || p.text[end] == '@');
  while (end > begin && !is_of(bytes::alnum, p.text[end - 1])) // of the sentence
    --end;
  std::string top;
  auto domain = p.text.substr(begin, end - begin);
  if (is_code || !re2::RE2::FullMatch(re2::StringPiece{domain.data(), domain.size()}, domain_pattern(), &top)
      || is_one_of(no_domains, lower(top)))
    return seen_nothing;
  return {verdict::found, content_class::email, end, {}};
}

} // namespace content_filter
