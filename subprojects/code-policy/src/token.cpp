#include "token.hpp"

#include "escapes.hpp"

namespace code_policy {

namespace {

char closing_of(char open) { return open == '(' ? ')' : open == '[' ? ']' : '}'; }

} // namespace

std::string_view token_list::text(size_t i) const {
  return i < tokens.size() ? source.substr(tokens[i].begin, tokens[i].end - tokens[i].begin) : std::string_view{};
}

std::string token_list::name(size_t i) const { return is(i, token_kind::name) ? unescaped(text(i)) : std::string{}; }

bool token_list::is_name(size_t i, std::string_view name) const {
  if (!is(i, token_kind::name))
    return false;
  auto written = text(i);
  return written == name || (written.find('\\') != written.npos && unescaped(written) == name);
}

size_t token_list::behind(size_t i) const {
  return i < tokens.size() && tokens[i].partner != none ? tokens[i].partner + 1 : tokens.size();
}

void token_list::add(token_kind kind, size_t begin, size_t end) {
  tokens.push_back({kind, static_cast<uint32_t>(begin), static_cast<uint32_t>(end), none});
}

void pair_brackets(token_list& list) {
  std::vector<uint32_t> open;
  for (uint32_t i = 0; i < list.tokens.size(); ++i) {
    if (list.tokens[i].kind != token_kind::mark)
      continue;
    auto c = list.text(i).back(); // "${" opens like "{"
    if (c == '(' || c == '[' || c == '{')
      open.push_back(i);
    if ((c != ')' && c != ']' && c != '}') || open.empty() || closing_of(list.text(open.back()).back()) != c)
      continue;
    list.tokens[i].partner = open.back();
    list.tokens[open.back()].partner = i;
    open.pop_back();
  }
}

} // namespace code_policy
