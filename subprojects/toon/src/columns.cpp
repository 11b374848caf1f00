#include "columns.hpp"

#include <algorithm>

namespace toon {

namespace {

namespace json = boost::json;

constexpr size_t keyed_rows_min = 2;

/// Columns of a table whose first row this is; empty: it can be the row of none.
std::vector<column> columns_of_row(const json::object& row, size_t depth_max) {
  std::vector<column> out;
  for (auto& [key, value] : row) {
    column next{key, {}};
    if (!is_primitive(value)) {
      if (!value.is_object() || depth_max == 0)
        return {};
      next.parts = columns_of_row(value.get_object(), depth_max - 1);
      if (next.parts.empty())
        return {};
    }
    out.push_back(std::move(next));
  }
  return out;
}

bool fits(const json::value& value, const std::vector<column>& columns) {
  if (!value.is_object() || value.get_object().size() != columns.size())
    return false;
  for (size_t i = 0; i < columns.size(); ++i) {
    auto found = cell(value.get_object(), columns[i], i);
    if (!found || !(columns[i].parts.empty() ? is_primitive(*found) : fits(*found, columns[i].parts)))
      return false;
  }
  return true;
}

} // namespace

bool is_primitive(const json::value& value) { return !value.is_object() && !value.is_array(); }

const json::value* cell(const json::object& row, const column& c, size_t position) {
  auto expected = row.begin() + static_cast<std::ptrdiff_t>(position);
  return expected->key() == c.name ? &expected->value() : row.if_contains(c.name);
}

std::vector<column> columns_of(const json::array& rows, size_t depth_max) {
  if (rows.empty() || !rows.front().is_object())
    return {};
  auto columns = columns_of_row(rows.front().get_object(), depth_max);
  bool is_table =
    !columns.empty() && std::all_of(rows.begin(), rows.end(), [&](auto& row) { return fits(row, columns); });
  return is_table ? columns : std::vector<column>{};
}

std::vector<column> columns_of(const json::object& entries, size_t depth_max) {
  if (entries.size() < keyed_rows_min || !entries.begin()->value().is_object())
    return {};
  auto columns = columns_of_row(entries.begin()->value().get_object(), depth_max);
  bool is_table = !columns.empty() && std::all_of(entries.begin(), entries.end(), [&](auto& entry) {
    return fits(entry.value(), columns);
  });
  return is_table ? columns : std::vector<column>{};
}

} // namespace toon
