// properties, patternProperties, additionalProperties; propertyNames.
#include "compiler.hpp"
#include "evaluation.hpp"
#include "explain.hpp"

#include <algorithm>
#include <boost/json/object.hpp>
#include <boost/json/string.hpp>

namespace json_schema {

namespace {

using boost::json::object;
using boost::json::value;

struct named_pattern {
  const pattern* names;
  const node* schema;
};

class members_keyword final : public keyword {
public:
  members_keyword(const node& owner) : keyword(owner, "properties", for_objects) {}

  const object* names = nullptr;  ///< null when there is no `properties`
  std::vector<const node*> known; ///< in the order of `names`
  std::vector<named_pattern> patterns;
  const node* others = nullptr; ///< `additionalProperties`
  bool closed = false;          ///< it is the schema `false`

  bool holds(evaluation& run, const subject& s) const override {
    auto& members = s.instance.get_object();
    bool ok = true;
    for (size_t i = 0; i < members.size() && (ok || run.wants_more()); ++i)
      ok = holds_for(run, s, members, i) && ok;
    return ok;
  }

private:
  bool holds_for(evaluation& run, const subject& s, const object& members, size_t index) const {
    auto& [key, member] = members.begin()[static_cast<std::ptrdiff_t>(index)];
    place inner{&s.at, key, index};
    bool is_known = false, ok = run.steps.charge(1);
    if (auto* schema = find_known(key)) {
      is_known = true;
      ok = run.evaluate(*schema, member, inner, nullptr) && ok;
    }
    for (auto& p : patterns) {
      if (!p.names->matches(key, run.space, run.steps))
        continue;
      is_known = true;
      ok = run.evaluate(*p.schema, member, inner, nullptr) && ok;
    }
    if (!is_known && others) {
      is_known = true;
      ok =
        (closed ? fail_unknown(run, {member, inner, nullptr}, members) : run.evaluate(*others, member, inner, nullptr))
        && ok;
    }
    if (is_known && s.seen)
      s.seen->mark(index);
    return ok;
  }

  const node* find_known(std::string_view key) const {
    if (!names)
      return nullptr;
    auto found = names->find(key);
    return found == names->end() ? nullptr : known[static_cast<size_t>(found - names->begin())];
  }

  bool fail_unknown(evaluation& run, const subject& s, const object& members) const {
    if (!run.wants_more())
      return false;
    std::vector<std::string_view> free;
    std::vector<std::string> all;
    for (size_t i = 0; names && i < std::min(names->size(), compared_names_max); ++i) {
      auto name = std::string_view{names->begin()[static_cast<std::ptrdiff_t>(i)].key()};
      if (i < listed_max)
        all.push_back(in_quotes(name));
      if (!members.contains(name))
        free.push_back(name);
    }
    auto nearest = nearest_name(s.at.key, free);
    additional reported{owner};
    return run.fail(reported, s, [&] {
      return evaluation::complaint{all.empty() ? "no such property"
                                               : "only the properties " + listed(all, "and", names ? names->size() : 0),
                                   nearest.empty() ? "" : "did you mean " + in_quotes(nearest) + "?",
                                   {std::string{s.at.key}},
                                   std::string{nearest}};
    });
  }

  /// The name under which unknown properties are reported.
  struct additional final : keyword {
    explicit additional(const node& owner) : keyword(owner, "additionalProperties", for_objects) {}
    bool holds(evaluation&, const subject&) const override { return false; }
  };
};

class names_keyword final : public keyword {
public:
  names_keyword(const node& owner, const node& schema)
    : keyword(owner, "propertyNames", for_objects),
      schema_(schema) {}

  bool holds(evaluation& run, const subject& s) const override {
    bool ok = true;
    for (auto& member : s.instance.get_object()) {
      value name(member.key());
      place inner{&s.at, member.key(), 0};
      ok = run.evaluate(schema_, name, inner, nullptr) && ok;
      if (!ok && !run.wants_more())
        break;
    }
    return ok;
  }

private:
  const node& schema_;
};

void add_patterns(compiler& to, node& n, const object& patterns, members_keyword& out) {
  for (auto& [text, schema] : patterns)
    if (auto* names = to.compile_pattern(n, "patternProperties", text))
      out.patterns.push_back({names, &to.child(n, "patternProperties", schema, text)});
}

} // namespace

JSON_SCHEMA_KEYWORD(members) {
  if (!is_first(schema, value, {"properties", "patternProperties", "additionalProperties"}))
    return;
  auto& made = to.add<members_keyword>(n);
  if (auto* properties = schema.if_contains("properties"))
    made.names = need_object(to, n, "properties", *properties);
  if (made.names)
    for (auto& [name, inner] : *made.names)
      made.known.push_back(&to.child(n, "properties", inner, name));
  auto* patterns = schema.if_contains("patternProperties");
  if (auto* object = patterns ? need_object(to, n, "patternProperties", *patterns) : nullptr)
    add_patterns(to, n, *object, made);
  if (auto* others = schema.if_contains("additionalProperties")) {
    made.others = &to.child(n, "additionalProperties", *others);
    made.closed = *others == false;
  }
}

JSON_SCHEMA_KEYWORD(property_names) { to.add<names_keyword>(n, to.child(n, "propertyNames", value)); }

} // namespace json_schema
