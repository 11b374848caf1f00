#include "decoder.hpp"

namespace toon {

namespace json = boost::json;

namespace {

bool is_list_line(std::string_view content) { return content == "-" || content.starts_with("- "); }

} // namespace

bool decoder::root(json::value& out) {
  if (!lines_.peek() && lines_.problem().empty()) {
    out.emplace_object();
    return true;
  }
  if (!root_value(out))
    return false;
  if (auto line = next_at(0))
    return fail("expected the end of the text after the value of the whole document", line->content.data());
  return problem_.empty();
}

bool decoder::root_value(json::value& out) {
  auto line = next_at(0);
  if (!line)
    return false;
  auto content = line->content;
  text_line taken;
  if (content == "[]") {
    out.emplace_array();
    return may_nest(1, content.data()) && take(taken);
  }
  header_reading reading;
  if (!read_header_at(place::root, content, reading))
    return false;
  bool has_header = reading.what == header_reading::kind::complete;
  if (has_header && !reading.result.key)
    return take(taken) && with_header(reading.result, {0, 1}, content.data(), out);
  if (has_header || find_unquoted(content, ":") != content.npos)
    return may_nest(1, content.data()) && fields(0, 1, out.emplace_object());
  return root_primitive(out);
}

bool decoder::root_primitive(json::value& out) {
  text_line line;
  if (!take(line))
    return false;
  if (lines_.peek())
    return missing_colon(line.content);
  return primitive(line.content, out);
}

bool decoder::fields(size_t depth, size_t nesting, json::object& out) {
  while (next_at(depth)) {
    text_line line;
    if (!take(line) || !field(line.content, depth, nesting, out))
      return false;
  }
  return problem_.empty();
}

bool decoder::field(std::string_view content, size_t depth, size_t nesting, json::object& out) {
  header_reading reading;
  if (!read_header_at(place::field, content, reading))
    return false;
  json::value value(storage_);
  std::string name;
  scope s{depth, nesting + 1};
  if (reading.what == header_reading::kind::complete) {
    name = std::move(*reading.result.key);
    if (!with_header(reading.result, s, content.data(), value))
      return false;
  } else {
    auto colon = find_unquoted(content, ":");
    if (colon == content.npos)
      return missing_colon(content);
    if (!key(trimmed(content.substr(0, colon)), name) || !field_value(trimmed(content.substr(colon + 1)), s, value))
      return false;
  }
  return insert(name, content.data(), std::move(value), out);
}

bool decoder::field_value(std::string_view token, scope s, json::value& out) {
  if (token == "[]") {
    out.emplace_array();
    return may_nest(s.nesting, token.data());
  }
  if (!token.empty())
    return primitive(token, out);
  return may_nest(s.nesting, token.data()) && fields(content_depth(s), s.nesting, out.emplace_object());
}

bool decoder::list(scope s, json::array& out) {
  auto depth = content_depth(s);
  span lines{*this};
  for (auto line = next_at(depth); line && is_list_line(line->content); line = next_at(depth)) {
    text_line item;
    if (!take(item))
      return false;
    lines.open();
    json::value value(storage_);
    if (!list_item(item.content, {depth, s.nesting + 1}, value) || !charge(sizeof(json::value), item.content.data()))
      return false;
    out.push_back(std::move(value));
  }
  return problem_.empty();
}

bool decoder::list_item(std::string_view content, scope s, json::value& out) {
  auto rest = trimmed(content.substr(1));
  if (rest.empty() || rest == "[]") {
    if (rest.empty())
      out.emplace_object();
    else
      out.emplace_array();
    return may_nest(s.nesting, content.data());
  }
  header_reading reading;
  if (!read_header_at(place::list_item, rest, reading))
    return false;
  bool has_header = reading.what == header_reading::kind::complete;
  if (has_header && !reading.result.key)
    return with_header(reading.result, s, rest.data(), out);
  if (!has_header && find_unquoted(rest, ":") == rest.npos)
    return primitive(rest, out);
  // The first field stands behind the hyphen, as if it were a level deeper; the others are there.
  auto& object = out.emplace_object();
  return may_nest(s.nesting, rest.data()) && field(rest, s.depth + 1, s.nesting, object)
         && fields(s.depth + 1, s.nesting, object);
}

} // namespace toon
