// required, and what depends on a property being there.
#include "compiler.hpp"
#include "evaluation.hpp"
#include "explain.hpp"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace json_schema {

namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;

/// A hint is looked for among so many names of either side only.
constexpr size_t hinted_names_max = 100;
constexpr size_t hinted_missing_max = 4;

/// Names given that are near to a missing one are likely to be meant for it.
std::string given_instead(const object& given, std::string_view missing, const array& wanted) {
  auto is_wanted = [&](std::string_view key) {
    auto end = wanted.begin() + std::min(wanted.size(), hinted_names_max);
    return std::any_of(wanted.begin(), end, [&](auto& name) { return name.is_string() && name.get_string() == key; });
  };
  std::vector<std::string_view> others;
  for (auto member = given.begin(); member != given.end() && others.size() < hinted_names_max; ++member)
    if (!is_wanted(member->key()))
      others.emplace_back(member->key());
    else if (static_cast<size_t>(member - given.begin()) > hinted_names_max)
      break;
  return std::string{nearest_name(missing, others)};
}

class required_keyword final : public keyword {
public:
  required_keyword(const node& owner, std::string_view name, const array& names, std::string_view trigger = {})
    : keyword(owner, name, for_objects),
      names_(names),
      trigger_(trigger) {}

  bool holds(evaluation& run, const subject& s) const override {
    auto& members = s.instance.get_object();
    if (trigger_.data() && !members.contains(trigger_))
      return true;
    if (!run.steps.charge(names_.size()))
      return false;
    auto is_there = [&](auto& name) { return members.contains(name.get_string()); };
    return std::all_of(names_.begin(), names_.end(), is_there) || run.fail(*this, s, [&] { return complain(members); });
  }

private:
  evaluation::complaint complain(const object& members) const {
    evaluation::complaint out;
    std::vector<std::string> missing;
    size_t total = 0;
    for (auto& name : names_) {
      std::string_view text = name.get_string();
      if (members.contains(text))
        continue;
      if (++total <= listed_max) {
        missing.push_back(in_quotes(text));
        out.names.emplace_back(text);
      }
      if (total <= hinted_missing_max && out.meant.empty())
        out.meant = given_instead(members, text, names_);
      if (!out.meant.empty() && out.hint.empty())
        out.hint = in_quotes(out.meant) + " is given, but the name is " + in_quotes(text);
    }
    out.expected = (total == 1 ? "the missing property " : "the missing properties ") + listed(missing, "and", total);
    if (trigger_.data())
      out.expected += ", because there is " + in_quotes(trigger_);
    return out;
  }

  const array& names_;
  std::string_view trigger_; ///< null data: always
};

class dependent_keyword final : public keyword {
public:
  dependent_keyword(const node& owner, std::string_view name, std::string_view trigger, const node& schema)
    : keyword(owner, name, for_objects),
      trigger_(trigger),
      schema_(schema) {}

  bool holds(evaluation& run, const subject& s) const override {
    return !s.instance.get_object().contains(trigger_) || run.evaluate(schema_, s);
  }

private:
  std::string_view trigger_;
  const node& schema_;
};

void add_required(compiler& to, node& n, std::string_view keyword, const value& names, std::string_view trigger = {}) {
  auto* all = need_array(to, n, keyword, names);
  if (!all || all->empty())
    return;
  if (std::any_of(all->begin(), all->end(), [](auto& name) { return !name.is_string(); }))
    return to.fail(n, keyword, "must be an array of strings");
  to.add<required_keyword>(n, keyword, *all, trigger);
}

} // namespace

JSON_SCHEMA_KEYWORD(required) { add_required(to, n, "required", value); }

JSON_SCHEMA_KEYWORD(dependent_required) {
  if (auto* all = need_object(to, n, "dependentRequired", value))
    for (auto& [trigger, names] : *all)
      add_required(to, n, "dependentRequired", names, trigger);
}

JSON_SCHEMA_KEYWORD(dependent_schemas) {
  if (auto* all = need_object(to, n, "dependentSchemas", value))
    for (auto& [trigger, inner] : *all)
      to.add<dependent_keyword>(n, "dependentSchemas", trigger, to.child(n, "dependentSchemas", inner, trigger));
}

JSON_SCHEMA_KEYWORD(dependencies) {
  auto* all = need_object(to, n, "dependencies", value);
  if (!all)
    return;
  for (auto& [trigger, inner] : *all) {
    if (inner.is_array())
      add_required(to, n, "dependencies", inner, trigger);
    else
      to.add<dependent_keyword>(n, "dependencies", trigger, to.child(n, "dependencies", inner, trigger));
  }
}

} // namespace json_schema
