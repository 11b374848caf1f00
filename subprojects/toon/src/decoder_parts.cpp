#include "decoder.hpp"

#include "tokens.hpp"

#include <algorithm>

namespace toon {

namespace json = boost::json;

namespace {

/// Of a member of an object besides its key and the value's text: the pair, and its place in the index.
constexpr size_t member_bytes = 64;

} // namespace

decoder::decoder(std::string_view text, const decode_options& options, json::storage_ptr storage)
  : text_(text),
    options_(options),
    storage_(std::move(storage)),
    lines_(text, std::clamp(options.indent_spaces, indent_spaces_min, indent_spaces_max), options.checks) {}

/// A malformed header, or one that may not stand here, is a key and its value when checks are lenient.
bool decoder::read_header_at(place where, std::string_view content, header_reading& out) {
  out = read_header(content, options_);
  using kind = header_reading::kind;
  if (out.what == kind::malformed) {
    if (out.is_fatal || is_strict())
      return fail(std::move(out.problem), out.at);
    out.what = kind::none;
  }
  bool is_allowed = out.what == kind::none || out.result.key || where == place::root
                    || (where == place::list_item && out.result.fields.empty());
  if (!is_allowed && is_strict())
    return fail(where == place::field ? "expected a key before '['"
                                      : "expected a key before '[': a table in a list has one",
                content.data());
  if (!is_allowed)
    out.what = kind::none;
  return true;
}

bool decoder::primitive(std::string_view token, json::value& out) {
  if (!charge(token.size(), token.data()))
    return false;
  if (!token.starts_with('"')) {
    out = read_unquoted(token, storage_);
    return true;
  }
  std::string text;
  auto problem = unquote(token, text);
  if (!problem.what.empty())
    return fail(std::string{problem.what}, token.data() + problem.at);
  out.emplace_string() = text;
  return true;
}

bool decoder::key(std::string_view token, std::string& out) {
  if (token.empty())
    return fail("expected a key before ':'; the empty key is \"\"", token.data());
  out = token;
  if (!token.starts_with('"'))
    return true;
  auto problem = unquote(token, out);
  return problem.what.empty() || fail(std::string{problem.what}, token.data() + problem.at);
}

bool decoder::insert(std::string_view key, const char* at, json::value&& value, json::object& out) {
  if (!charge(member_bytes + key.size(), at))
    return false;
  json::string_view name(key.data(), key.size());
  auto earlier = out.if_contains(name);
  if (earlier && is_strict())
    return fail("expected each key once in an object, found " + shown(key) + " again", at);
  if (earlier)
    *earlier = std::move(value);
  else
    out.emplace(name, std::move(value));
  return true;
}

bool decoder::missing_colon(std::string_view content) {
  std::string unused;
  if (content.starts_with('"'))
    if (auto problem = unquote(content, unused); !problem.what.empty() && problem.at == content.size())
      return fail(std::string{problem.what}, content.data() + problem.at);
  return fail("expected ':' after a key, found " + shown(content), content.data() + content.size());
}

bool decoder::has_length(const header& h, size_t found, std::string_view what, const char* at) {
  if (!is_strict() || found == h.length)
    return true;
  return fail("expected " + std::to_string(h.length) + ' ' + std::string{what} + ", as the header says, found "
                + std::to_string(found),
              at);
}

bool decoder::may_nest(size_t nesting, const char* at) {
  return nesting <= options_.depth_max
         || fail("expected nesting of at most " + std::to_string(options_.depth_max) + " (depth_max)", at);
}

bool decoder::charge(size_t bytes, const char* at) {
  value_bytes_ += bytes;
  if (value_bytes_ <= options_.value_bytes_max)
    return true;
  return fail("expected values of at most " + std::to_string(options_.value_bytes_max) + " bytes (value_bytes_max)",
              at);
}

size_t decoder::content_depth(scope s) const {
  auto line = lines_.peek();
  return line && !is_strict() ? std::max(line->depth, s.depth + 1) : s.depth + 1;
}

const text_line* decoder::next_at(size_t depth) {
  auto line = lines_.peek();
  if (!line && !lines_.problem().empty())
    fail(lines_.problem(), lines_.problem_at());
  if (!line || line->depth < depth)
    return nullptr;
  if (line->depth == depth)
    return line;
  fail("expected less indentation: nothing above this line has it as its content", line->content.data());
  return nullptr;
}

bool decoder::take(text_line& out) {
  out = lines_.take();
  if (!out.is_after_blank || open_spans_ == 0 || !is_strict())
    return true;
  return fail("expected no blank line before this one: it is inside an array or a table", out.content.data());
}

bool decoder::fail(std::string what, const char* at) {
  if (problem_.empty()) {
    problem_ = std::move(what);
    problem_at_ = at;
  }
  return false;
}

} // namespace toon
