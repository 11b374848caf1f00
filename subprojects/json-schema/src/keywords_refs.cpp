// $ref, $dynamicRef, and `unevaluated*`, which needs what they have seen.
#include "compiler.hpp"
#include "evaluation.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace json_schema {

namespace {

class ref_keyword final : public keyword {
public:
  ref_keyword(const node& owner, const node& target) : keyword(owner, "$ref", for_all), target_(target) {}
  bool holds(evaluation& run, const subject& s) const override { return run.follow(target_, s); }

private:
  const node& target_;
};

class dynamic_ref_keyword final : public keyword {
public:
  dynamic_ref_keyword(const node& owner, std::string anchor, const node& otherwise)
    : keyword(owner, "$dynamicRef", for_all),
      anchor_(std::move(anchor)),
      otherwise_(otherwise) {}
  bool holds(evaluation& run, const subject& s) const override {
    return run.follow(run.in_dynamic_scope(anchor_, otherwise_), s);
  }

private:
  std::string anchor_;
  const node& otherwise_;
};

class unevaluated_items_keyword final : public keyword {
public:
  unevaluated_items_keyword(const node& owner, const node& schema)
    : keyword(owner, "unevaluatedItems", for_arrays),
      schema_(schema) {}

  bool holds(evaluation& run, const subject& s) const override {
    auto& items = s.instance.get_array();
    bool ok = true;
    for (size_t i = 0; i < items.size() && (ok || run.wants_more()); ++i) {
      place inner{&s.at, {}, i};
      if (!s.seen->all && !s.seen->marks[i])
        ok = run.evaluate(schema_, items[i], inner, nullptr) && ok;
    }
    s.seen->all = true;
    return ok;
  }

private:
  const node& schema_;
};

class unevaluated_properties_keyword final : public keyword {
public:
  unevaluated_properties_keyword(const node& owner, const node& schema)
    : keyword(owner, "unevaluatedProperties", for_objects),
      schema_(schema) {}

  bool holds(evaluation& run, const subject& s) const override {
    bool ok = true;
    size_t i = 0;
    for (auto& [key, member] : s.instance.get_object()) {
      place inner{&s.at, key, i};
      if (!s.seen->all && !s.seen->marks[i])
        ok = run.evaluate(schema_, member, inner, nullptr) && ok;
      ++i;
      if (!ok && !run.wants_more())
        break;
    }
    s.seen->all = true;
    return ok;
  }

private:
  const node& schema_;
};

} // namespace

JSON_SCHEMA_KEYWORD(ref) {
  auto* text = need_string(to, n, "$ref", value);
  auto* target = text ? to.referred(n, "$ref", *text) : nullptr;
  if (target)
    to.add<ref_keyword>(n, *target);
}

JSON_SCHEMA_KEYWORD(dynamic_ref) {
  auto* text = need_string(to, n, "$dynamicRef", value);
  auto* target = text ? to.referred(n, "$dynamicRef", *text) : nullptr;
  if (!target)
    return;
  auto anchor = to.dynamic_anchor(n, *text);
  if (anchor.empty())
    to.add<ref_keyword>(n, *target);
  else
    to.add<dynamic_ref_keyword>(n, std::move(anchor), *target);
}

JSON_SCHEMA_KEYWORD(recursive_ref) { to.fail(n, "$recursiveRef", "not supported: use `$dynamicRef` of 2020-12"); }

JSON_SCHEMA_KEYWORD(unevaluated_items) { to.add<unevaluated_items_keyword>(n, to.child(n, "unevaluatedItems", value)); }

JSON_SCHEMA_KEYWORD(unevaluated_properties) {
  to.add<unevaluated_properties_keyword>(n, to.child(n, "unevaluatedProperties", value));
}

} // namespace json_schema
