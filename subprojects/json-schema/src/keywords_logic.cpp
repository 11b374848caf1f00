// allOf, anyOf, oneOf, not, if/then/else.
#include "branches.hpp"
#include "compiler.hpp"
#include "evaluation.hpp"

#include <boost/json/array.hpp>

namespace json_schema {

namespace {

/// What a branch has looked at counts only if the branch holds.
bool holds_alone(evaluation& run, const node& branch, const subject& s) {
  if (!s.seen)
    return !run.fails_quietly(branch, s);
  evaluated own{s.instance};
  if (!run.steps.charge(1 + own.marks.size() / 64) || run.fails_quietly(branch, {s.instance, s.at, &own}))
    return false;
  s.seen->merge(own);
  return true;
}

class all_keyword final : public keyword {
public:
  all_keyword(const node& owner, std::vector<const node*> branches)
    : keyword(owner, "allOf", for_all),
      branches_(std::move(branches)) {}

  bool holds(evaluation& run, const subject& s) const override {
    bool ok = true;
    for (size_t i = 0; i < branches_.size() && (ok || run.wants_more()); ++i)
      ok = run.evaluate(*branches_[i], s) && ok;
    return ok;
  }

private:
  std::vector<const node*> branches_;
};

class any_keyword final : public keyword {
public:
  any_keyword(const node& owner, std::vector<const node*> branches)
    : keyword(owner, "anyOf", for_all),
      branches_(std::move(branches)) {}

  bool holds(evaluation& run, const subject& s) const override {
    bool ok = false;
    for (size_t i = 0; i < branches_.size() && (!ok || s.seen) && !run.steps.is_stopped(); ++i)
      ok = holds_alone(run, *branches_[i], s) || ok;
    return ok || fail_nearest_branch(run, *this, s, branches_);
  }

private:
  std::vector<const node*> branches_;
};

class one_keyword final : public keyword {
public:
  one_keyword(const node& owner, std::vector<const node*> branches)
    : keyword(owner, "oneOf", for_all),
      branches_(std::move(branches)) {}

  bool holds(evaluation& run, const subject& s) const override {
    std::vector<size_t> found;
    for (size_t i = 0; i < branches_.size() && found.size() < 2 && !run.steps.is_stopped(); ++i)
      if (holds_alone(run, *branches_[i], s))
        found.push_back(i);
    if (found.empty())
      return fail_nearest_branch(run, *this, s, branches_);
    return found.size() == 1 || run.fail(*this, s, [&] {
      return evaluation::complaint{"exactly one of " + std::to_string(branches_.size()) + " alternatives",
                                   "both " + std::to_string(found[0]) + " and " + std::to_string(found[1]) + " fit"};
    });
  }

private:
  std::vector<const node*> branches_;
};

class not_keyword final : public keyword {
public:
  not_keyword(const node& owner, const node& schema) : keyword(owner, "not", for_all), schema_(schema) {}

  bool holds(evaluation& run, const subject& s) const override {
    return run.fails_quietly(schema_, {s.instance, s.at, nullptr}) || run.fail(*this, s, [&] {
      return evaluation::complaint{"something that `not` does not describe", ""};
    });
  }

private:
  const node& schema_;
};

class if_keyword final : public keyword {
public:
  if_keyword(const node& owner, const node& condition) : keyword(owner, "if", for_all), condition_(condition) {}

  const node* then = nullptr;
  const node* otherwise = nullptr;

  bool holds(evaluation& run, const subject& s) const override {
    auto* next = holds_alone(run, condition_, s) ? then : otherwise;
    return !next || run.evaluate(*next, s);
  }

private:
  const node& condition_;
};

template <class Keyword>
void add_branches(compiler& to, node& n, std::string_view keyword, const boost::json::value& value) {
  auto* all = need_array(to, n, keyword, value);
  if (all && all->empty())
    to.fail(n, keyword, "must not be empty");
  if (!all)
    return;
  std::vector<const node*> branches;
  for (size_t i = 0; i < all->size(); ++i)
    branches.push_back(&to.child(n, keyword, (*all)[i], std::to_string(i)));
  to.add<Keyword>(n, std::move(branches));
}

} // namespace

JSON_SCHEMA_KEYWORD(all_of) { add_branches<all_keyword>(to, n, "allOf", value); }
JSON_SCHEMA_KEYWORD(any_of) { add_branches<any_keyword>(to, n, "anyOf", value); }
JSON_SCHEMA_KEYWORD(one_of) { add_branches<one_keyword>(to, n, "oneOf", value); }
JSON_SCHEMA_KEYWORD(not ) { to.add<not_keyword>(n, to.child(n, "not", value)); }

JSON_SCHEMA_KEYWORD(if) {
  auto* then = schema.if_contains("then");
  auto* otherwise = schema.if_contains("else");
  auto& made = to.add<if_keyword>(n, to.child(n, "if", value));
  made.then = then ? &to.child(n, "then", *then) : nullptr;
  made.otherwise = otherwise ? &to.child(n, "else", *otherwise) : nullptr;
}

} // namespace json_schema
