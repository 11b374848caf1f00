#include "branches.hpp"

#include "explain.hpp"

#include <algorithm>

namespace json_schema {

namespace {

/// Branches looked at; the others are taken to be further away.
constexpr size_t branches_max = 32;

struct attempt {
  std::vector<error> errors;
  size_t distance = 0;
};

/// A wrong type says that another kind of thing was meant, a wrong constant (`"kind": "circle"`) that another of the
/// alternatives was; the other errors are of one that was meant.
size_t distance(const std::vector<error>& errors, const std::string& here) {
  size_t out = 0;
  for (auto& e : errors) {
    bool is_choice = e.keyword == "const" || e.keyword == "enum";
    bool is_near = e.instance_path.size() <= here.size() || e.instance_path.find('/', here.size() + 1) == here.npos;
    out += e.keyword == "type" && e.instance_path == here ? 1'000 : is_choice && is_near ? 100 : 1;
  }
  return out;
}

bool is_type_only(const attempt& a, const std::string& here) {
  return a.errors.size() == 1 && a.errors[0].keyword == "type" && a.errors[0].instance_path == here;
}

std::string types_of(const std::vector<attempt>& attempts) {
  std::vector<std::string> all;
  for (auto& a : attempts)
    if (std::find(all.begin(), all.end(), a.errors[0].expected) == all.end())
      all.push_back(a.errors[0].expected);
  return listed(all, "or", all.size());
}

attempt try_branch(evaluation& run, const node& branch, const subject& s, const std::string& here) {
  attempt out;
  auto* kept = std::exchange(run.errors, &out.errors);
  run.evaluate(branch, s.instance, s.at, nullptr);
  run.errors = kept;
  out.distance = distance(out.errors, here);
  return out;
}

} // namespace

bool fail_nearest_branch(evaluation& run, const keyword& k, const subject& s,
                         const std::vector<const node*>& branches) {
  if (!run.wants_more())
    return false;
  auto here = s.at.pointer();
  std::vector<attempt> attempts;
  for (size_t i = 0; i < std::min(branches.size(), branches_max) && !run.steps.is_stopped(); ++i)
    attempts.push_back(try_branch(run, *branches[i], s, here));
  attempts.erase(std::remove_if(attempts.begin(), attempts.end(), [](auto& a) { return a.errors.empty(); }),
                 attempts.end());
  if (attempts.empty())
    return run.fail(k, s, [&] {
      return evaluation::complaint{"one of " + std::to_string(branches.size()) + " alternatives", ""};
    });
  if (std::all_of(attempts.begin(), attempts.end(), [&](auto& a) { return is_type_only(a, here); }))
    return run.fail(k, s, [&] { return evaluation::complaint{types_of(attempts), attempts[0].errors[0].hint}; });
  auto nearest =
    std::min_element(attempts.begin(), attempts.end(), [](auto& a, auto& b) { return a.distance < b.distance; });
  for (auto& e : nearest->errors)
    if (run.errors->size() < run.limits.errors)
      run.errors->push_back(std::move(e));
  return false;
}

} // namespace json_schema
