// One function per keyword, each adding it to a node; see `definitions.cpp`.
#pragma once

#include <boost/json/object.hpp>

namespace json_schema {

class compiler;
struct node;

#define JSON_SCHEMA_KEYWORD(name)                                                                                      \
  void build_##name([[maybe_unused]] compiler& to, [[maybe_unused]] node& n,                                           \
                    [[maybe_unused]] const boost::json::object& schema,                                                \
                    [[maybe_unused]] const boost::json::value& value)

JSON_SCHEMA_KEYWORD(ref);
JSON_SCHEMA_KEYWORD(dynamic_ref);
JSON_SCHEMA_KEYWORD(recursive_ref);

JSON_SCHEMA_KEYWORD(type);
JSON_SCHEMA_KEYWORD(enum);
JSON_SCHEMA_KEYWORD(const);

JSON_SCHEMA_KEYWORD(multiple_of);
JSON_SCHEMA_KEYWORD(maximum);
JSON_SCHEMA_KEYWORD(exclusive_maximum);
JSON_SCHEMA_KEYWORD(minimum);
JSON_SCHEMA_KEYWORD(exclusive_minimum);

JSON_SCHEMA_KEYWORD(max_length);
JSON_SCHEMA_KEYWORD(min_length);
JSON_SCHEMA_KEYWORD(pattern);

JSON_SCHEMA_KEYWORD(max_items);
JSON_SCHEMA_KEYWORD(min_items);
JSON_SCHEMA_KEYWORD(unique_items);

JSON_SCHEMA_KEYWORD(max_properties);
JSON_SCHEMA_KEYWORD(min_properties);
JSON_SCHEMA_KEYWORD(required);
JSON_SCHEMA_KEYWORD(dependent_required);

JSON_SCHEMA_KEYWORD(format);

JSON_SCHEMA_KEYWORD(content);

JSON_SCHEMA_KEYWORD(members);
JSON_SCHEMA_KEYWORD(property_names);

JSON_SCHEMA_KEYWORD(dependent_schemas);
JSON_SCHEMA_KEYWORD(dependencies);

JSON_SCHEMA_KEYWORD(items);
JSON_SCHEMA_KEYWORD(contains);

JSON_SCHEMA_KEYWORD(all_of);
JSON_SCHEMA_KEYWORD(any_of);
JSON_SCHEMA_KEYWORD(one_of);
JSON_SCHEMA_KEYWORD(not );
JSON_SCHEMA_KEYWORD(if);

JSON_SCHEMA_KEYWORD(unevaluated_items);
JSON_SCHEMA_KEYWORD(unevaluated_properties);

} // namespace json_schema
