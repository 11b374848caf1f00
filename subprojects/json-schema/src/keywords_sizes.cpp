// How many characters, items and properties there may be.
#include "compiler.hpp"
#include "evaluation.hpp"
#include "utf8.hpp"

#include <boost/json/array.hpp>

namespace json_schema {

namespace {

using boost::json::value;

constexpr size_t measured_bytes_per_step = 64;

size_t measure(const value& v, evaluation& run) {
  if (auto* text = v.if_string()) {
    run.steps.charge(text->size() / measured_bytes_per_step);
    return count_characters(*text);
  }
  return v.is_array() ? v.get_array().size() : v.get_object().size();
}

struct size_rule {
  std::string_view keyword, words, things, one;
  uint8_t applies_to;
  bool is_maximum;
};
constexpr size_rule max_length{"maxLength", "at most ", " characters", " character", for_strings, true};
constexpr size_rule min_length{"minLength", "at least ", " characters", " character", for_strings, false};
constexpr size_rule max_items{"maxItems", "at most ", " items", " item", for_arrays, true};
constexpr size_rule min_items{"minItems", "at least ", " items", " item", for_arrays, false};
constexpr size_rule max_properties{"maxProperties", "at most ", " properties", " property", for_objects, true};
constexpr size_rule min_properties{"minProperties", "at least ", " properties", " property", for_objects, false};

class size_keyword final : public keyword {
public:
  size_keyword(const node& owner, const size_rule& rule, uint64_t limit)
    : keyword(owner, rule.keyword, rule.applies_to),
      rule_(rule),
      limit_(limit) {}

  bool holds(evaluation& run, const subject& s) const override {
    auto size = measure(s.instance, run);
    return (rule_.is_maximum ? size <= limit_ : size >= limit_) || run.fail(*this, s, [&] {
      return evaluation::complaint{text(limit_),
                                   "there " + std::string{size == 1 ? "is " : "are "} + std::to_string(size)};
    });
  }

private:
  std::string text(uint64_t count) const {
    return std::string{rule_.words} + std::to_string(count) + std::string{count == 1 ? rule_.one : rule_.things};
  }

  const size_rule& rule_;
  uint64_t limit_;
};

void add_size(compiler& to, node& n, const size_rule& rule, const value& limit) {
  if (auto count = need_count(to, n, rule.keyword, limit))
    to.add<size_keyword>(n, rule, *count);
}

} // namespace

JSON_SCHEMA_KEYWORD(max_length) { add_size(to, n, max_length, value); }
JSON_SCHEMA_KEYWORD(min_length) { add_size(to, n, min_length, value); }
JSON_SCHEMA_KEYWORD(max_items) { add_size(to, n, max_items, value); }
JSON_SCHEMA_KEYWORD(min_items) { add_size(to, n, min_items, value); }
JSON_SCHEMA_KEYWORD(max_properties) { add_size(to, n, max_properties, value); }
JSON_SCHEMA_KEYWORD(min_properties) { add_size(to, n, min_properties, value); }

} // namespace json_schema
