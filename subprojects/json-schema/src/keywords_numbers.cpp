// multipleOf, and the bounds of numbers.
#include "compiler.hpp"
#include "evaluation.hpp"
#include "numbers.hpp"

namespace json_schema {

namespace {

using boost::json::value;

class multiple_keyword final : public keyword {
public:
  multiple_keyword(const node& owner, const value& divisor)
    : keyword(owner, "multipleOf", for_numbers),
      divisor_(divisor) {}

  bool holds(evaluation& run, const subject& s) const override {
    return is_multiple(s.instance, divisor_) || run.fail(*this, s, [&] {
      return evaluation::complaint{"a multiple of " + number_text(divisor_), ""};
    });
  }

private:
  const value& divisor_;
};

struct bound {
  std::string_view keyword, words;
  bool (*allows)(std::partial_ordering instance_to_bound);
};
constexpr bound maximum{"maximum", "at most ", [](std::partial_ordering o) { return std::is_lteq(o); }};
constexpr bound exclusive_maximum{"exclusiveMaximum", "less than ",
                                  [](std::partial_ordering o) { return std::is_lt(o); }};
constexpr bound minimum{"minimum", "at least ", [](std::partial_ordering o) { return std::is_gteq(o); }};
constexpr bound exclusive_minimum{"exclusiveMinimum", "more than ",
                                  [](std::partial_ordering o) { return std::is_gt(o); }};

class bound_keyword final : public keyword {
public:
  bound_keyword(const node& owner, const bound& kind, const value& limit)
    : keyword(owner, kind.keyword, for_numbers),
      kind_(kind),
      limit_(limit) {}

  bool holds(evaluation& run, const subject& s) const override {
    return kind_.allows(compare_numbers(s.instance, limit_)) || run.fail(*this, s, [&] {
      return evaluation::complaint{std::string{kind_.words} + number_text(limit_), ""};
    });
  }

private:
  const bound& kind_;
  const value& limit_;
};

void add_bound(compiler& to, node& n, const bound& kind, const value& limit) {
  if (!limit.is_number())
    return to.fail(n, kind.keyword, "must be a number");
  to.add<bound_keyword>(n, kind, limit);
}

} // namespace

JSON_SCHEMA_KEYWORD(multiple_of) {
  if (!value.is_number() || std::is_lteq(compare_numbers(value, 0)))
    return to.fail(n, "multipleOf", "must be a number above 0");
  to.add<multiple_keyword>(n, value);
}

JSON_SCHEMA_KEYWORD(maximum) { add_bound(to, n, maximum, value); }
JSON_SCHEMA_KEYWORD(exclusive_maximum) { add_bound(to, n, exclusive_maximum, value); }
JSON_SCHEMA_KEYWORD(minimum) { add_bound(to, n, minimum, value); }
JSON_SCHEMA_KEYWORD(exclusive_minimum) { add_bound(to, n, exclusive_minimum, value); }

} // namespace json_schema
