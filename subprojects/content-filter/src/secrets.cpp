#include "content_filter/match.hpp"
#include "secret_kinds.hpp"

#include <re2/re2.h>

#include <algorithm>
#include <deque>
#include <mutex>
#include <optional>
#include <vector>

namespace content_filter {

namespace {

re2::StringPiece piece(std::string_view text) { return {text.data(), text.size()}; }

/// Made at its first use, which takes 0.04 ms: few texts have something that begins like a secret. Texts may be
/// filtered on several threads.
class pattern {
public:
  explicit pattern(const char* text) : text_(text) {}
  bool fits(std::string_view run) const {
    std::call_once(made_, [&] { expression_.emplace(text_, re2::RE2::Quiet); });
    return re2::RE2::FullMatch(piece(run), *expression_);
  }

private:
  const char* text_;
  mutable std::once_flag made_;
  mutable std::optional<re2::RE2> expression_;
};

/// All patterns, and which kinds begin with a byte.
struct patterns {
  std::deque<pattern> rest, value; // they can not move
  std::array<std::vector<uint8_t>, 256> kinds_of;

  patterns() {
    auto kinds = secret_kinds();
    for (size_t i = 0; i < kinds.size(); ++i) {
      rest.emplace_back(kinds[i].rest);
      kinds_of[static_cast<unsigned char>(kinds[i].prefix.front())].push_back(static_cast<uint8_t>(i));
    }
    for (auto& kind : named_kinds())
      value.emplace_back(kind.value);
  }
};

const patterns& all_patterns() {
  static const patterns all;
  return all;
}

bool is_proven(proof needs, std::string_view text) {
  size_t letters = 0, digits = 0, least = needs == proof::random ? 3 : 1;
  for (auto c : text) {
    letters += is_of(bytes::letter, c);
    digits += is_of(bytes::digit, c);
  }
  return needs == proof::form || (letters >= least && digits >= least);
}

/// What is made of bytes of `set` from `begin` on, and the place before it.
match look_at_run(const place& p, size_t begin, byte_set set, const pattern& form, proof needs) {
  auto end = run_end(p.text, begin, set, secret_bytes_max);
  bool is_cut = end - begin == secret_bytes_max;
  if (!is_cut && p.is_last(end))
    return seen_too_little;
  while (!is_cut && end > begin && p.text[end - 1] == '.') // of the sentence
    --end;
  auto run = p.text.substr(begin, end - begin);
  if (!is_proven(needs, run) || !form.fits(run))
    return seen_nothing;
  return {verdict::found, content_class::secret, end, {is_cut ? set : byte_set{0}, 0, false}};
}

match look_for_prefix(const place& p) {
  auto kinds = secret_kinds();
  auto& patterns = all_patterns();
  auto rest = p.rest();
  for (auto index : patterns.kinds_of[static_cast<unsigned char>(p.here())]) {
    auto& kind = kinds[index];
    if (kind.stands_alone && is_of(bytes::underscore | bytes::dash | bytes::dot, p.before(1)))
      continue;
    if (rest.size() < kind.prefix.size() && !p.is_end && kind.prefix.starts_with(rest))
      return seen_too_little;
    if (!rest.starts_with(kind.prefix))
      continue;
    auto s = look_at_run(p, p.at + kind.prefix.size(), kind.set, patterns.rest[index], kind.needs);
    if (s.what != verdict::nothing)
      return s;
  }
  return seen_nothing;
}

/// What separates a value from its name: one of these, or several.
bool is_separator(char c) {
  return c == ' ' || c == '\t' || c == '"' || c == '\'' || c == '`' || c == '=' || c == ':' || c == '>' || c == '('
         || c == '[' || c == ',' || c == '|' || c == '*' || c == '\\';
}

/// Telegram: 1234567890:AA...
match look_for_telegram(const place& p) {
  constexpr size_t digits_min = 8, digits_max = 10, secret_bytes = 35;
  if (!is_of(bytes::digit, p.here()) || (is_of(bytes::word, p.before(1)) && !is_behind_escape(p)))
    return seen_nothing;
  auto colon = run_end(p.text, p.at, bytes::digit, digits_max + 1);
  if (p.is_last(colon))
    return seen_too_little;
  if (colon - p.at < digits_min || colon - p.at > digits_max || colon == p.text.size() || p.text[colon] != ':')
    return seen_nothing;
  auto end = run_end(p.text, colon + 1, bytes::word, secret_bytes + 1);
  if (end - colon - 1 <= secret_bytes && p.is_last(end))
    return seen_too_little;
  if (end - colon - 1 != secret_bytes || !is_proven(proof::mixed, p.text.substr(colon + 1, secret_bytes)))
    return seen_nothing;
  return {verdict::found, content_class::secret, end, {}};
}

/// A cheap look before the others: a name of `named_kinds()` may be before the place, with "is" behind it or not.
bool may_be_named(const place& p) {
  if (!is_separator(p.before(1)) || !is_of(bytes::name | bytes::plus | bytes::slash, p.here()))
    return false;
  size_t distance = 1;
  while (distance < context_bytes_max && is_separator(p.before(distance)))
    ++distance;
  std::array<char, 2> last{to_lower(p.before(distance + 1)), to_lower(p.before(distance))};
  std::string_view ending{last.data(), last.size()};
  return ending == "ey" || ending == "en" || ending == "et" || ending == "er" || ending == "is";
}

match look_for_named(const place& p) {
  if (!may_be_named(p))
    return seen_nothing;
  auto given = name_of(p);
  auto name = given.text();
  if (name.empty())
    return seen_nothing;
  auto kinds = named_kinds();
  for (size_t i = 0; i < kinds.size(); ++i) {
    if (!name.ends_with(kinds[i].name))
      continue;
    auto s = look_at_run(p, p.at, kinds[i].set, all_patterns().value[i], kinds[i].needs);
    if (s.what != verdict::nothing)
      return s;
  }
  return seen_nothing;
}

} // namespace

name_before name_of(const place& p) {
  name_before out;
  size_t distance = 1;
  auto is_inside = [&] { return distance <= context_bytes_max && distance <= p.at; };
  for (; is_inside() && is_separator(p.before(distance)); ++distance)
    out.is_assigned = out.is_assigned || (p.before(distance) != ' ' && p.before(distance) != '\t');
  auto is_of_name = [](char c) { return is_of(bytes::word | bytes::dot, c) || c == ' '; };
  for (; is_inside() && is_of_name(p.before(distance)); ++distance)
    if (is_of(bytes::alnum, p.before(distance)))
      out.letters[--out.first] = to_lower(p.before(distance));
  if (out.text().ends_with("is")) { // "the key is ..."
    std::copy_backward(out.letters.begin() + static_cast<ptrdiff_t>(out.first), out.letters.end() - 2,
                       out.letters.end());
    out.first += 2;
    out.is_assigned = true;
  }
  return out;
}

match look_for_secret(const place& p) {
  for (auto* look : {look_for_prefix, look_for_telegram, look_for_named})
    if (auto s = look(p); s.what != verdict::nothing)
      return s;
  return seen_nothing;
}

} // namespace content_filter
