// One validation: its budget, its dynamic scope, and the errors it found.
#pragma once

#include "budget.hpp"
#include "json_schema/schema.hpp"
#include "node.hpp"

#include <vector>

namespace json_schema {

/// What finding the words for an error costs: names are compared for its hint.
inline constexpr size_t steps_per_error = 500;

class evaluation {
public:
  evaluation(const program& compiled, const validate_limits& limits)
    : limits(limits),
      steps(limits.steps),
      space(limits),
      program_(compiled) {}

  bool evaluate(const node& n, const boost::json::value& instance, const place& at, evaluated* seen);
  bool evaluate(const node& n, const subject& s) { return evaluate(n, s.instance, s.at, s.seen); }
  /// A reference: one that leads back to itself for the same instance stops the budget.
  bool follow(const node& target, const subject& s);
  /// The node that a dynamic reference means here.
  const node& in_dynamic_scope(const std::string& name, const node& otherwise);

  /// Errors go to a list; null: no caller wants them, and the first one ends it.
  std::vector<error>* errors = nullptr;
  bool wants_more() const { return errors && errors->size() < limits.errors && !steps.is_stopped(); }

  struct complaint {
    std::string expected, hint;
    std::vector<std::string> names{}; ///< these as in `error`
    std::string meant{};
  };
  /// Always false. `tell` gives the complaint, and is called only when the caller wants it.
  template <class Tell>
  bool fail(const keyword& k, const subject& s, Tell tell) {
    if (wants_more() && steps.charge(steps_per_error))
      add(k, s, tell());
    return false;
  }
  bool fails_quietly(const node& n, const subject& s);
  /// What a false schema says of it.
  void add_forbidden(const node& n, const subject& s);

  const validate_limits& limits;
  budget steps;
  match_space space;

private:
  bool evaluate_keywords(const node& n, const subject& s);
  void add(const keyword& k, const subject& s, complaint c);

  struct followed {
    const node* target;
    const boost::json::value* instance;
  };
  const program& program_;
  size_t depth_ = 0;
  std::vector<size_t> scope_;
  std::vector<followed> followed_;
};

} // namespace json_schema
