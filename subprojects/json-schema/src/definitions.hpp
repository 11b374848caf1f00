// All keywords: where subschemas are in them, in which drafts they are known, and who compiles them.
#pragma once

#include "language.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <string>
#include <string_view>

namespace json_schema {

class compiler;
struct node;

/// Where the subschemas of a keyword are.
enum class shape : uint8_t { none, schema, list, map, schema_or_list, map_of_schemas_or_names };

enum drafts : uint8_t {
  in_draft7 = 1,
  in_2019_09 = 2,
  in_2020_12 = 4,
  in_all = 7,
  since_2019_09 = 6,
  until_2019_09 = 3
};

/// Adds the keyword to the node. Problems go to the compiler.
using build = void (*)(compiler& to, node& n, const boost::json::object& schema, const boost::json::value& value);

struct definition {
  std::string_view name;
  uint8_t drafts;
  uint8_t vocabularies; ///< any of them must be in use
  shape subschemas;
  build add; ///< null: it asserts nothing by itself
};

/// Null if the language has no such keyword.
const definition* find_definition(std::string_view name, const language& speaks);

/// Calls `visit(schema, token)` for each subschema of a keyword; the token is empty when the value is a schema itself.
template <class Visit>
void for_each_subschema(std::string_view name, const boost::json::value& value, const language& speaks, Visit visit) {
  auto* found = find_definition(name, speaks);
  auto where = found ? found->subschemas : shape::none;
  if (where == shape::none)
    return;
  auto* items = value.if_array();
  auto* members = value.if_object();
  if (where == shape::schema || (where == shape::schema_or_list && !items))
    return visit(value, std::string_view{});
  bool is_list = where == shape::list || where == shape::schema_or_list;
  if (is_list && items)
    for (size_t i = 0; i < items->size(); ++i)
      visit((*items)[i], std::to_string(i));
  if (!is_list && members)
    for (auto& [key, member] : *members)
      if (where == shape::map || !member.is_array())
        visit(member, std::string_view{key});
}

} // namespace json_schema
