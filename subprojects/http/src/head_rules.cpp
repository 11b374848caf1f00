#include "head_rules.hpp"

#include "http/field_text.hpp"
#include "small_letters.hpp"

#include <algorithm>
#include <charconv>

namespace http {

namespace {

struct problem {
  uint16_t status = 0; ///< 0: there is none
  std::string_view sentence;
};

std::string_view trimmed(std::string_view text) {
  auto from = text.find_first_not_of(" \t");
  if (from == text.npos)
    return {};
  return text.substr(from, text.find_last_not_of(" \t") - from + 1);
}

size_t count(const headers& fields, std::string_view name) {
  return static_cast<size_t>(
    std::count_if(fields.begin(), fields.end(), [&](const header& field) { return field.name == name; }));
}

/// Whether the list of words in all headers of that name has it.
bool lists(const headers& fields, std::string_view name, std::string_view word) {
  for (auto& field : fields) {
    if (field.name != name)
      continue;
    std::string_view rest = field.value;
    while (!rest.empty()) {
      auto comma = std::min(rest.find(','), rest.size());
      if (small_letters(trimmed(rest.substr(0, comma))) == word)
        return true;
      rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
  }
  return false;
}

problem check_line(const raw_head& raw) {
  if (raw.major != 1)
    return {505, "only HTTP/1.1 and HTTP/1.0 are spoken here"};
  if (raw.method == "CONNECT")
    return {501, "this server is no proxy"};
  auto good = [](char c) { return c > ' ' && c < 0x7f && c != '#'; };
  if (raw.target.empty() || !std::all_of(raw.target.begin(), raw.target.end(), good))
    return {400, "the target of the request has a character in it that no target has"};
  return {};
}

problem check_fields(const raw_head& raw) {
  for (auto& field : raw.fields)
    if (!is_token(field.name) || !is_field_value(field.value))
      return {400, "a header has a character in it that no header has"};
  auto hosts = count(raw.fields, "host");
  if (hosts > 1)
    return {400, "there is more than one Host header"};
  if (hosts == 0 && raw.minor > 0)
    return {400, "there is no Host header"};
  return {};
}

/// Removes "http://host" from the target, which has to be the host of the header.
problem take_authority(raw_head& raw) {
  if (raw.target.starts_with('/') || (raw.target == "*" && raw.method == "OPTIONS"))
    return {};
  auto from = raw.target.find("://");
  if (from == raw.target.npos || !is_web(small_letters(raw.target.substr(0, from + 3))))
    return {400, "the target of the request is no path"};
  auto end = std::min(raw.target.find_first_of("/?", from + 3), raw.target.size());
  auto authority = small_letters(raw.target.substr(from + 3, end - from - 3));
  if (authority != small_letters(find_header(raw.fields, "host")))
    return {400, "the target of the request is at another host than its Host header"};
  raw.target = raw.target.substr(end);
  if (!raw.target.starts_with('/'))
    raw.target.insert(0, "/");
  return {};
}

problem read_framing(const raw_head& raw, judged_head& to) {
  auto lengths = count(raw.fields, "content-length");
  auto encodings = count(raw.fields, "transfer-encoding");
  if (lengths + encodings > 1)
    return {400, "there is more than one header that says how long the body is"};
  if (encodings == 1 && raw.minor == 0)
    return {400, "there is no Transfer-Encoding in HTTP/1.0"};
  if (encodings == 1) {
    if (small_letters(find_header(raw.fields, "transfer-encoding")) != "chunked")
      return {501, "the only Transfer-Encoding that is understood here is chunked"};
    to.body = judged_head::framing::chunks;
  }
  if (lengths == 1) {
    auto text = find_header(raw.fields, "content-length");
    auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), to.body_bytes);
    if (failed != std::errc{} || end != text.data() + text.size())
      return {400, "the Content-Length is no number"};
    to.body = to.body_bytes == 0 ? judged_head::framing::none : judged_head::framing::length;
  }
  return {};
}

problem read_wish(const raw_head& raw, judged_head& to) {
  auto wish = find_header(raw.fields, "expect");
  if (wish.empty() || raw.minor == 0)
    return {};
  if (small_letters(wish) != "100-continue")
    return {417, "the only thing that can be expected here is 100-continue"};
  to.wish = judged_head::continuation::asked;
  return {};
}

bool stays_open(const raw_head& raw) {
  if (lists(raw.fields, "connection", "close"))
    return false;
  return raw.minor > 0 || lists(raw.fields, "connection", "keep-alive");
}

problem find_problem(raw_head& raw, judged_head& to) {
  if (auto found = check_line(raw); found.status != 0)
    return found;
  if (auto found = check_fields(raw); found.status != 0)
    return found;
  if (auto found = take_authority(raw); found.status != 0)
    return found;
  if (auto found = read_framing(raw, to); found.status != 0)
    return found;
  return read_wish(raw, to);
}

} // namespace

judged_head judge(raw_head raw) {
  judged_head out;
  for (auto& field : raw.fields) {
    field.name = small_letters(field.name);
    field.value = std::string{trimmed(field.value)};
  }
  out.form = {raw.method != "HEAD", raw.minor > 0, stays_open(raw)};
  if (auto found = find_problem(raw, out); found.status != 0) {
    out.refusal = plain_answer(found.status, found.sentence);
    return out;
  }
  auto question = std::min(raw.target.find('?'), raw.target.size());
  out.head.path = raw.target.substr(0, question);
  out.head.query = raw.target.substr(std::min(question + 1, raw.target.size()));
  out.head.method = std::move(raw.method);
  out.head.fields = std::move(raw.fields);
  return out;
}

} // namespace http
