// Whether objects make a table, and its columns (sections 9.3 and 9.5 of the specification).
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <cstddef>
#include <vector>

namespace toon {

struct column {
  boost::json::string_view name; ///< belongs to the first row
  std::vector<column> parts;     ///< empty: the cells are primitives; otherwise all values are objects with these keys
};

bool is_primitive(const boost::json::value& value);

/// Columns of the table that all the elements make, in the order of the first one's keys; empty: they make none.
std::vector<column> columns_of(const boost::json::array& rows, size_t depth_max);

/// The same for the values of an object. A table of fewer than two rows does not pay.
std::vector<column> columns_of(const boost::json::object& entries, size_t depth_max);

/// Value of a row in the column that is the `position`-th one. Most rows have their keys in the same order.
const boost::json::value* cell(const boost::json::object& row, const column& c, size_t position);

} // namespace toon
