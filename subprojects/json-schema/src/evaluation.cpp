#include "evaluation.hpp"

#include "explain.hpp"

#include <algorithm>

namespace json_schema {

namespace {

/// References on the way to this one that are looked at in one step.
constexpr size_t references_per_step = 8;
/// Names of dynamic anchors that are looked at in one step.
constexpr size_t anchors_per_step = 8;

} // namespace

bool evaluation::evaluate(const node& n, const boost::json::value& instance, const place& at, evaluated* seen) {
  if (!steps.charge(1) || n.says == node::meaning::anything)
    return !steps.is_stopped();
  subject s{instance, at, seen};
  if (n.says == node::meaning::nothing) {
    add_forbidden(n, s);
    return false;
  }
  if (depth_ >= limits.depth)
    steps.stop("subschemas are nested too deeply, or refer to each other too often");
  bool is_entered = program_.has_dynamic_references && (scope_.empty() || scope_.back() != n.resource);
  if (is_entered)
    scope_.push_back(n.resource);
  ++depth_;
  bool ok = false;
  if (n.collects_evaluated) {
    evaluated own{instance};
    if (steps.charge(own.marks.size() / 64))
      ok = evaluate_keywords(n, {instance, at, &own});
    if (seen)
      seen->merge(own);
  } else {
    ok = evaluate_keywords(n, s);
  }
  --depth_;
  if (is_entered)
    scope_.pop_back();
  return ok && !steps.is_stopped();
}

bool evaluation::evaluate_keywords(const node& n, const subject& s) {
  auto bit = kind_bit(s.instance);
  bool ok = true;
  for (auto& k : n.keywords) {
    // What a failed subschema has looked at is not known: `unevaluated*` would only repeat its errors.
    if ((k->applies_to & bit) == 0 || (!ok && k->name.starts_with("unevaluated")))
      continue;
    if (k->holds(*this, s))
      continue;
    ok = false;
    if (!wants_more())
      break;
  }
  return ok;
}

bool evaluation::follow(const node& target, const subject& s) {
  auto at = followed_.rbegin();
  for (; at != followed_.rend() && at->instance == &s.instance; ++at)
    if (at->target == &target)
      steps.stop("a reference leads back to itself and never to a part of the instance");
  if (!steps.charge(static_cast<size_t>(at - followed_.rbegin()) / references_per_step))
    return false;
  followed_.push_back({&target, &s.instance});
  bool ok = evaluate(target, s);
  followed_.pop_back();
  return ok;
}

const node& evaluation::in_dynamic_scope(const std::string& name, const node& otherwise) {
  for (auto resource : scope_) {
    if (!steps.charge(program_.dynamic[resource].size() / anchors_per_step))
      break;
    for (auto& [anchor, target] : program_.dynamic[resource])
      if (anchor == name)
        return *target;
  }
  return otherwise;
}

bool evaluation::fails_quietly(const node& n, const subject& s) {
  auto* kept = std::exchange(errors, nullptr);
  bool ok = evaluate(n, s);
  errors = kept;
  return !ok;
}

void evaluation::add_forbidden(const node& n, const subject& s) {
  if (wants_more())
    errors->push_back(
      {s.at.pointer(), program_.path(n), "", "nothing here", shortened(s.instance, limits.given_bytes), "", {}, ""});
}

void evaluation::add(const keyword& k, const subject& s, complaint c) {
  errors->push_back({s.at.pointer(), program_.path(k.owner, k.name), std::string{k.name}, std::move(c.expected),
                     shortened(s.instance, limits.given_bytes), std::move(c.hint), std::move(c.names),
                     std::move(c.meant)});
}

} // namespace json_schema
