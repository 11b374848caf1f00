#include "constant.hpp"

#include "escapes.hpp"

namespace code_policy {

namespace {

/// Longer expressions spell out no name that matters.
constexpr size_t constant_tokens_max = 64;
constexpr size_t constant_bytes_max = 512;
/// Tokens of one argument that are looked through for its end.
constexpr size_t argument_tokens_max = 200;

/// Of a string with its quotes and prefix letters.
std::string content(std::string_view written) {
  auto quote = written.find_first_of("\"'`");
  if (quote == written.npos)
    return {};
  bool raw = written.substr(0, quote).find_first_of("rR") != written.npos;
  bool triple =
    written.size() >= quote + 6 && written[quote + 1] == written[quote] && written[quote + 2] == written[quote];
  auto c = written[quote];
  written.remove_prefix(quote + (triple ? 3 : 1));
  for (int i = 0; i < (triple ? 3 : 1) && written.ends_with(c); ++i)
    written.remove_suffix(1);
  return raw ? std::string{written} : unescaped(written);
}

} // namespace

std::optional<std::string> constant(const token_list& list, size_t first, size_t last) {
  if (first >= last || last - first > constant_tokens_max)
    return std::nullopt;
  std::string out;
  bool any = false;
  for (auto i = first; i < last; ++i) {
    if (list.is(i, token_kind::text)) {
      if (list.text(i).size() > constant_bytes_max || out.size() > constant_bytes_max)
        return std::nullopt;
      out += content(list.text(i));
      any = true;
    } else if (!list.is_mark(i, "+") && !list.is_mark(i, "(") && !list.is_mark(i, ")")) {
      return std::nullopt;
    }
  }
  return any ? std::optional{std::move(out)} : std::nullopt;
}

size_t argument_end(const token_list& list, size_t first, size_t last) {
  auto i = first;
  for (size_t looked = 0; i < last && !list.is_mark(i, ",") && looked < argument_tokens_max; ++looked) {
    bool opens = list.is_mark(i, "(") || list.is_mark(i, "[") || list.is_mark(i, "{");
    i = opens ? list.behind(i) : i + 1;
  }
  return i < last ? i : last;
}

std::optional<std::string> first_argument(const token_list& list, size_t open) {
  auto closed = list.behind(open);
  return closed <= open + 1 ? std::nullopt : constant(list, open + 1, argument_end(list, open + 1, closed - 1));
}

} // namespace code_policy
