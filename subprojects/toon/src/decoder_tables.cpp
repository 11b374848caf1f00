#include "decoder.hpp"

namespace toon {

namespace json = boost::json;

namespace {

/// A line between rows whose first colon comes before its first separator is a key and its value.
bool is_row(std::string_view content, char separator) {
  const char either[] = {separator, ':'};
  auto first = find_unquoted(content, {either, 2});
  return first == content.npos || content[first] == separator;
}

} // namespace

bool decoder::with_header(const header& h, scope s, const char* at, json::value& out) {
  if (!may_nest(s.nesting + h.depth, at))
    return false;
  if (h.is_keyed) {
    auto& object = out.emplace_object();
    return entries(h, s, object);
  }
  auto& array = out.emplace_array();
  if (!h.fields.empty())
    return table(h, s, array) && has_length(h, array.size(), "rows", at);
  if (!h.inline_values.empty())
    return inline_array(h, array) && has_length(h, array.size(), "values", h.inline_values.data());
  return list(s, array) && has_length(h, array.size(), "list items", at);
}

bool decoder::inline_array(const header& h, json::array& out) {
  cell_reader cells{h.inline_values, h.separator};
  while (cells.has_more()) {
    auto token = cells.next();
    json::value value(storage_);
    if (!charge(sizeof(json::value), token.data()) || !primitive(token, value))
      return false;
    out.push_back(std::move(value));
  }
  return true;
}

bool decoder::table(const header& h, scope s, json::array& out) {
  auto depth = content_depth(s);
  span lines{*this};
  for (auto line = next_at(depth); line && is_row(line->content, h.separator); line = next_at(depth)) {
    text_line taken;
    if (!take(taken))
      return false;
    lines.open();
    json::value value(storage_);
    if (!charge(sizeof(json::value), taken.content.data()) || !row(h, taken.content, value))
      return false;
    out.push_back(std::move(value));
  }
  return problem_.empty();
}

bool decoder::entries(const header& h, scope s, json::object& out) {
  auto depth = content_depth(s);
  size_t count = 0;
  span lines{*this};
  for (; next_at(depth); ++count) {
    text_line line;
    if (!take(line))
      return false;
    lines.open();
    auto colon = find_unquoted(line.content, ":");
    if (colon == line.content.npos)
      return missing_colon(line.content);
    json::value value(storage_);
    std::string name;
    if (!key(trimmed(line.content.substr(0, colon)), name) || !row(h, trimmed(line.content.substr(colon + 1)), value)
        || !insert(name, line.content.data(), std::move(value), out))
      return false;
  }
  return problem_.empty() && has_length(h, count, "entries", h.inline_values.data());
}

bool decoder::row(const header& h, std::string_view content, json::value& out) {
  cell_reader cells{content, h.separator};
  if (!row_fields(h.fields, cells, out.emplace_object()))
    return false;
  while (is_strict() && cells.has_more())
    cells.next();
  if (!is_strict() || cells.taken() == h.leaves)
    return true;
  return fail("expected a cell for each of " + std::to_string(h.leaves) + " fields of the header, found "
                + std::to_string(cells.taken()),
              content.data());
}

/// A field without a cell is left out; the caller counts.
bool decoder::row_fields(const std::vector<table_field>& fields, cell_reader& cells, json::object& out) {
  for (auto& field : fields) {
    json::value value(storage_);
    auto at = cells.at();
    if (!field.parts.empty()) {
      if (!row_fields(field.parts, cells, value.emplace_object()))
        return false;
    } else if (!cells.has_more()) {
      if (!charge(1, at)) // bounds the time of short rows under a long header
        return false;
      continue;
    } else if (!primitive(cells.next(), value)) {
      return false;
    }
    if (!insert(field.name, at, std::move(value), out))
      return false;
  }
  return true;
}

} // namespace toon
