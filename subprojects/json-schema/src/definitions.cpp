#include "definitions.hpp"

#include "keywords.hpp"

#include <unordered_map>

namespace json_schema {

namespace {

constexpr uint8_t core = vocabulary_core, applicator = vocabulary_applicator, validation = vocabulary_validation,
                  unevaluated = vocabulary_unevaluated, formats = vocabulary_format, content = vocabulary_content;

constexpr definition definitions[] = {
  {"$ref", in_all, core, shape::none, build_ref},
  {"$dynamicRef", in_2020_12, core, shape::none, build_dynamic_ref},
  {"$recursiveRef", in_2019_09, core, shape::none, build_recursive_ref},
  {"$defs", since_2019_09, core, shape::map, nullptr},
  {"definitions", in_all, core, shape::map, nullptr},
  {"type", in_all, validation, shape::none, build_type},
  {"enum", in_all, validation, shape::none, build_enum},
  {"const", in_all, validation, shape::none, build_const},
  {"multipleOf", in_all, validation, shape::none, build_multiple_of},
  {"maximum", in_all, validation, shape::none, build_maximum},
  {"exclusiveMaximum", in_all, validation, shape::none, build_exclusive_maximum},
  {"minimum", in_all, validation, shape::none, build_minimum},
  {"exclusiveMinimum", in_all, validation, shape::none, build_exclusive_minimum},
  {"maxLength", in_all, validation, shape::none, build_max_length},
  {"minLength", in_all, validation, shape::none, build_min_length},
  {"pattern", in_all, validation, shape::none, build_pattern},
  {"maxItems", in_all, validation, shape::none, build_max_items},
  {"minItems", in_all, validation, shape::none, build_min_items},
  {"uniqueItems", in_all, validation, shape::none, build_unique_items},
  {"maxProperties", in_all, validation, shape::none, build_max_properties},
  {"minProperties", in_all, validation, shape::none, build_min_properties},
  {"required", in_all, validation, shape::none, build_required},
  {"dependentRequired", since_2019_09, validation, shape::none, build_dependent_required},
  {"format", in_all, formats, shape::none, build_format},
  {"contentEncoding", in_all, content, shape::none, build_content},
  {"contentMediaType", in_all, content, shape::none, build_content},
  {"contentSchema", since_2019_09, content, shape::schema, nullptr},
  {"properties", in_all, applicator, shape::map, build_members},
  {"patternProperties", in_all, applicator, shape::map, build_members},
  {"additionalProperties", in_all, applicator, shape::schema, build_members},
  {"propertyNames", in_all, applicator, shape::schema, build_property_names},
  {"dependentSchemas", since_2019_09, applicator, shape::map, build_dependent_schemas},
  {"dependencies", in_all, applicator, shape::map_of_schemas_or_names, build_dependencies},
  {"prefixItems", in_2020_12, applicator, shape::list, build_items},
  {"items", until_2019_09, applicator, shape::schema_or_list, build_items},
  {"items", in_2020_12, applicator, shape::schema, build_items},
  {"additionalItems", until_2019_09, applicator, shape::schema, build_items},
  {"contains", in_all, applicator, shape::schema, build_contains},
  {"allOf", in_all, applicator, shape::list, build_all_of},
  {"anyOf", in_all, applicator, shape::list, build_any_of},
  {"oneOf", in_all, applicator, shape::list, build_one_of},
  {"not", in_all, applicator, shape::schema, build_not},
  {"if", in_all, applicator, shape::schema, build_if},
  {"then", in_all, applicator, shape::schema, nullptr},
  {"else", in_all, applicator, shape::schema, nullptr},
  {"unevaluatedItems", since_2019_09, unevaluated, shape::schema, build_unevaluated_items},
  {"unevaluatedProperties", since_2019_09, unevaluated, shape::schema, build_unevaluated_properties},
};

using by_name = std::unordered_multimap<std::string_view, const definition*>;

uint8_t bit(dialect draft) {
  return draft == dialect::draft7 ? in_draft7 : draft == dialect::draft2019_09 ? in_2019_09 : in_2020_12;
}

} // namespace

const definition* find_definition(std::string_view name, const language& speaks) {
  static const auto known = [] {
    by_name out;
    for (auto& d : definitions)
      out.emplace(d.name, &d);
    return out;
  }();
  // In 2019-09 `unevaluated*` belonged to the vocabulary of applicators, which is in use in all that is read here.
  auto [begin, end] = known.equal_range(name);
  for (auto at = begin; at != end; ++at)
    if ((at->second->drafts & bit(speaks.draft)) != 0 && speaks.has(at->second->vocabularies))
      return at->second;
  return nullptr;
}

} // namespace json_schema
