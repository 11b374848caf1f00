#include "proxy/misnamed.hpp"

#include "proxy/json_member.hpp"
#include "text/nearest.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace proxy {

namespace json = boost::json;

namespace {

using names = std::vector<std::string_view>;

/// Words that tools use for the same thing, as skeletons (see text::skeleton), each between blanks.
constexpr std::string_view meanings[] = {
  " path file filename filepath pathname source directory dir folder ",
  " query q search searchquery text term terms keywords question ",
  " content contents text body data value ",
  " message msg text body content ",
  " url uri link href address ",
  " id identifier key uid number ",
  " name title label ",
  " limit count max maxresults top n size ",
  " owner user username login account org ",
  " repo repository project ",
  " command cmd script code ",
};

bool is_of_type(const json::value& value, std::string_view type) {
  return (type == "string" && value.is_string()) || (type == "array" && value.is_array())
         || (type == "object" && value.is_object()) || (type == "boolean" && value.is_bool())
         || (type == "null" && value.is_null()) || ((type == "number" || type == "integer") && value.is_number());
}

/// True also of what the schema says nothing simple about.
bool may_be(const json::value& value, const json::value* schema) {
  auto* type = member(schema, "type");
  return !type || !type->is_string() || is_of_type(value, type->get_string());
}

bool mean_the_same(const std::string& a, const std::string& b) {
  auto has = [](std::string_view group, const std::string& word) { return group.find(" " + word + " ") != group.npos; };
  return std::any_of(std::begin(meanings), std::end(meanings),
                     [&](auto group) { return has(group, a) && has(group, b); });
}

names unknown_in(const json::object& given, const json::value* properties) {
  names unknown;
  for (auto field = given.begin();
       field != given.end() && static_cast<size_t>(field - given.begin()) < misnamed_names_max; ++field)
    if (!member(properties, field->key()))
      unknown.emplace_back(field->key());
  return unknown;
}

} // namespace

std::string given_for_missing(const json::value* input_schema, const json::object& given,
                              const std::vector<std::string>& missing) {
  auto* properties = member(input_schema, "properties");
  if (missing.empty() || !properties)
    return {};
  auto* schema = member(properties, missing.front());
  auto unknown = unknown_in(given, properties);
  std::erase_if(unknown, [&](auto name) { return !may_be(given.at(name), schema); });
  auto wanted = text::skeleton(missing.front());
  for (auto name : unknown)
    if (mean_the_same(wanted, text::skeleton(name)))
      return std::string{name};
  return missing.size() == 1 && unknown.size() == 1 ? std::string{unknown.front()} : std::string{};
}

} // namespace proxy
