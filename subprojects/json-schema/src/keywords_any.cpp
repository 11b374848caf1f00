// type, enum, const: keywords for instances of all kinds.
#include "compiler.hpp"
#include "equality.hpp"
#include "evaluation.hpp"
#include "explain.hpp"
#include "numbers.hpp"

#include <algorithm>
#include <boost/json/array.hpp>
#include <charconv>

namespace json_schema {

namespace {

using boost::json::array;
using boost::json::value;

constexpr std::string_view type_names[] = {"array", "boolean", "integer", "null", "number", "object", "string"};
enum types : uint8_t {
  is_array = 1,
  is_boolean = 2,
  is_an_integer = 4,
  is_null = 8,
  is_number = 16,
  is_object = 32,
  is_string = 64
};

uint8_t types_of(const value& v) {
  switch (v.kind()) {
    case boost::json::kind::array: return is_array;
    case boost::json::kind::bool_: return is_boolean;
    case boost::json::kind::null: return is_null;
    case boost::json::kind::object: return is_object;
    case boost::json::kind::string: return is_string;
    default: return is_integer(v) ? is_number | is_an_integer : is_number;
  }
}

uint8_t type_named(std::string_view name) {
  for (size_t i = 0; i < std::size(type_names); ++i)
    if (type_names[i] == name)
      return static_cast<uint8_t>(1 << i);
  return 0;
}

bool reads_as_number(std::string_view text) {
  double number = 0;
  auto [stop, ec] = std::from_chars(text.data(), text.data() + text.size(), number);
  return ec == std::errc{} && stop == text.data() + text.size();
}

class type_keyword final : public keyword {
public:
  type_keyword(const node& owner, uint8_t allowed) : keyword(owner, "type", for_all), allowed_(allowed) {}

  bool holds(evaluation& run, const subject& s) const override {
    return (types_of(s.instance) & allowed_) != 0 || run.fail(*this, s, [&] {
      return evaluation::complaint{expected(), hint(s.instance)};
    });
  }

private:
  std::string expected() const {
    std::vector<std::string> all;
    for (size_t i = 0; i < std::size(type_names); ++i)
      if ((allowed_ & 1 << i) != 0)
        all.emplace_back(with_article(type_names[i]));
    return listed(all, "or", all.size());
  }

  std::string hint(const value& given) const {
    auto* text = given.if_string();
    if (text && (allowed_ & (is_number | is_an_integer)) != 0 && reads_as_number(*text))
      return "give the number without quotes";
    if (text && (allowed_ & is_boolean) != 0 && (*text == "true" || *text == "false"))
      return "give " + std::string{*text} + " without quotes";
    if (text && (allowed_ & (is_object | is_array)) != 0 && (text->starts_with('{') || text->starts_with('[')))
      return "give the value itself, not a string with JSON in it";
    return (allowed_ & is_array) != 0 && !text && !given.is_null() ? "a single item needs brackets, too" : "";
  }

  uint8_t allowed_;
};

std::string all_values(const array& values, size_t bytes) {
  std::vector<std::string> texts;
  for (size_t i = 0; i < std::min(values.size(), listed_max); ++i)
    texts.push_back(shortened(values[i], bytes));
  return listed(texts, "or", values.size());
}

std::string_view nearest_value(const array& values, const value& given) {
  if (!given.is_string())
    return {};
  std::vector<std::string_view> names;
  for (size_t i = 0; i < std::min(values.size(), compared_names_max); ++i)
    if (values[i].is_string())
      names.emplace_back(values[i].get_string());
  return nearest_name(given.get_string(), names);
}

class enum_keyword final : public keyword {
public:
  enum_keyword(const node& owner, const array& values)
    : keyword(owner, "enum", for_all),
      values_(values),
      set_(values) {}

  bool holds(evaluation& run, const subject& s) const override {
    return set_.contains(s.instance, run.steps) || run.fail(*this, s, [&] {
      auto nearest = nearest_value(values_, s.instance);
      return evaluation::complaint{(values_.size() > 1 ? "one of " : "") + all_values(values_, run.limits.given_bytes),
                                   nearest.empty() ? "" : "did you mean " + in_quotes(nearest) + "?",
                                   {},
                                   std::string{nearest}};
    });
  }

private:
  const array& values_;
  value_set set_;
};

class const_keyword final : public keyword {
public:
  const_keyword(const node& owner, const value& wanted) : keyword(owner, "const", for_all), wanted_(wanted) {}

  bool holds(evaluation& run, const subject& s) const override {
    return equal(wanted_, s.instance, run.steps) || run.fail(*this, s, [&] {
      return evaluation::complaint{shortened(wanted_, run.limits.given_bytes), ""};
    });
  }

private:
  const value& wanted_;
};

} // namespace

JSON_SCHEMA_KEYWORD(type) {
  uint8_t allowed = 0;
  auto take = [&](const boost::json::value& name) {
    auto known = name.is_string() ? type_named(name.get_string()) : uint8_t{};
    if (known == 0)
      to.fail(n, "type", shortened(name, 60) + " is no type");
    allowed |= known;
  };
  if (auto* all = value.if_array())
    for (auto& one : *all)
      take(one);
  else
    take(value);
  to.add<type_keyword>(n, allowed);
}

JSON_SCHEMA_KEYWORD(enum) {
  if (auto* values = need_array(to, n, "enum", value))
    to.add<enum_keyword>(n, *values);
}

JSON_SCHEMA_KEYWORD(const) { to.add<const_keyword>(n, value); }

} // namespace json_schema
