// prefixItems, items, additionalItems, contains, uniqueItems.
#include "compiler.hpp"
#include "equality.hpp"
#include "evaluation.hpp"

#include <boost/json/array.hpp>

namespace json_schema {

namespace {

class items_keyword final : public keyword {
public:
  items_keyword(const node& owner) : keyword(owner, "items", for_arrays) {}

  std::vector<const node*> first;
  const node* rest = nullptr;

  bool holds(evaluation& run, const subject& s) const override {
    auto& items = s.instance.get_array();
    bool ok = true;
    for (size_t i = 0; i < items.size() && (ok || run.wants_more()); ++i) {
      auto* schema = i < first.size() ? first[i] : rest;
      if (!schema)
        break;
      place inner{&s.at, {}, i};
      ok = run.evaluate(*schema, items[i], inner, nullptr) && ok;
      if (s.seen)
        s.seen->mark(i);
    }
    return ok;
  }
};

class contains_keyword final : public keyword {
public:
  contains_keyword(const node& owner, const node& schema) : keyword(owner, "contains", for_arrays), schema_(schema) {}

  uint64_t least = 1;
  uint64_t most = UINT64_MAX;
  bool marks_items = true; ///< for `unevaluatedItems`, since 2020-12

  bool holds(evaluation& run, const subject& s) const override {
    auto& items = s.instance.get_array();
    uint64_t found = 0;
    for (size_t i = 0; i < items.size() && !run.steps.is_stopped(); ++i) {
      place inner{&s.at, {}, i};
      if (run.fails_quietly(schema_, {items[i], inner, nullptr}))
        continue;
      ++found;
      if (s.seen && marks_items)
        s.seen->mark(i);
    }
    return (found >= least && found <= most) || run.fail(*this, s, [&] {
      auto bound = found < least ? "at least " + std::to_string(least) : "at most " + std::to_string(most);
      return evaluation::complaint{bound + " items as `contains` says", "there are " + std::to_string(found)};
    });
  }

private:
  const node& schema_;
};

class unique_keyword final : public keyword {
public:
  explicit unique_keyword(const node& owner) : keyword(owner, "uniqueItems", for_arrays) {}

  bool holds(evaluation& run, const subject& s) const override {
    auto found = find_twins(s.instance.get_array(), run.steps);
    return found.first == found.second || run.fail(*this, s, [&] {
      return evaluation::complaint{"items that all differ", "items " + std::to_string(found.first) + " and "
                                                              + std::to_string(found.second) + " are the same"};
    });
  }
};

std::string_view prefix_keyword(const compiler& to, const node& n, const boost::json::object& schema) {
  if (to.draft(n) == dialect::draft2020_12)
    return schema.contains("prefixItems") ? "prefixItems" : "";
  auto* items = schema.if_contains("items");
  return items && items->is_array() ? "items" : "";
}

/// Of the items behind the first ones.
std::string_view rest_keyword(const compiler& to, const node& n, std::string_view prefix) {
  return to.draft(n) == dialect::draft2020_12 || prefix.empty() ? "items" : "additionalItems";
}

} // namespace

JSON_SCHEMA_KEYWORD(items) {
  if (!is_first(schema, value, {"prefixItems", "items", "additionalItems"})
      && (to.draft(n) == dialect::draft2020_12 || !schema.contains("prefixItems")))
    return;
  auto prefix = prefix_keyword(to, n, schema);
  auto rest = rest_keyword(to, n, prefix);
  auto& made = to.add<items_keyword>(n);
  auto* first = prefix.empty() ? nullptr : need_array(to, n, prefix, schema.at(prefix));
  for (size_t i = 0; first && i < first->size(); ++i)
    made.first.push_back(&to.child(n, prefix, (*first)[i], std::to_string(i)));
  if (auto* inner = schema.if_contains(rest))
    made.rest = &to.child(n, rest, *inner);
}

JSON_SCHEMA_KEYWORD(contains) {
  auto& made = to.add<contains_keyword>(n, to.child(n, "contains", value));
  made.marks_items = to.draft(n) == dialect::draft2020_12;
  if (to.draft(n) == dialect::draft7 || !to.has_validation(n))
    return;
  if (auto* least = schema.if_contains("minContains"))
    made.least = need_count(to, n, "minContains", *least).value_or(1);
  if (auto* most = schema.if_contains("maxContains"))
    made.most = need_count(to, n, "maxContains", *most).value_or(UINT64_MAX);
}

JSON_SCHEMA_KEYWORD(unique_items) {
  if (!value.is_bool())
    return to.fail(n, "uniqueItems", "must be true or false");
  if (value.get_bool())
    to.add<unique_keyword>(n);
}

} // namespace json_schema
