#include "ecma_properties.hpp"

#include <algorithm>
#include <cctype>

namespace json_schema {

namespace {

struct category {
  std::string_view long_name, short_name;
};
/// General_Category of Unicode's PropertyValueAliases.txt.
constexpr category categories[] = {
  {"Cased_Letter", "L&"},
  {"Close_Punctuation", "Pe"},
  {"Connector_Punctuation", "Pc"},
  {"Control", "Cc"},
  {"Currency_Symbol", "Sc"},
  {"Dash_Punctuation", "Pd"},
  {"Decimal_Number", "Nd"},
  {"Enclosing_Mark", "Me"},
  {"Final_Punctuation", "Pf"},
  {"Format", "Cf"},
  {"Initial_Punctuation", "Pi"},
  {"LC", "L&"},
  {"Letter", "L"},
  {"Letter_Number", "Nl"},
  {"Line_Separator", "Zl"},
  {"Lowercase_Letter", "Ll"},
  {"Mark", "M"},
  {"Math_Symbol", "Sm"},
  {"Modifier_Letter", "Lm"},
  {"Modifier_Symbol", "Sk"},
  {"Nonspacing_Mark", "Mn"},
  {"Number", "N"},
  {"Open_Punctuation", "Ps"},
  {"Other", "C"},
  {"Other_Letter", "Lo"},
  {"Other_Number", "No"},
  {"Other_Punctuation", "Po"},
  {"Other_Symbol", "So"},
  {"Paragraph_Separator", "Zp"},
  {"Private_Use", "Co"},
  {"Punctuation", "P"},
  {"Separator", "Z"},
  {"Space_Separator", "Zs"},
  {"Spacing_Mark", "Mc"},
  {"Surrogate", "Cs"},
  {"Symbol", "S"},
  {"Titlecase_Letter", "Lt"},
  {"Unassigned", "Cn"},
  {"Uppercase_Letter", "Lu"},
  {"cntrl", "Cc"},
  {"digit", "Nd"},
  {"punct", "P"},
};

} // namespace

std::string pcre_property(std::string_view name) {
  for (std::string_view kind : {"General_Category=", "gc="})
    if (name.starts_with(kind))
      name.remove_prefix(kind.size());
  auto* found =
    std::find_if(std::begin(categories), std::end(categories), [&](auto& c) { return c.long_name == name; });
  if (found != std::end(categories))
    return std::string{found->short_name};
  auto is_part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  auto equals = name.find('=');
  auto value = equals == name.npos ? name : name.substr(equals + 1);
  if (value.empty() || !std::all_of(value.begin(), value.end(), is_part))
    return {};
  if (equals == name.npos)
    return std::string{value};
  auto kind = name.substr(0, equals);
  if (kind == "Script" || kind == "sc")
    return "sc:" + std::string{value};
  return kind == "Script_Extensions" || kind == "scx" ? "scx:" + std::string{value} : std::string{};
}

} // namespace json_schema
