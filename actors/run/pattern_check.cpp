#include "actors/run/pattern_check.hpp"

#include <algorithm>
#include <utility>

namespace actors::run {

using config::pattern_policy;
using msg::errc;

namespace {

/// `found` is not empty.
std::string refusal_text(const std::vector<code_policy::violation>& found) {
  return "The program was not run, because it holds a dangerous pattern: " + code_policy::describe(found)
         + "\nWrite it without, or allow such programs with \"security\": {\"dangerousPatterns\": \"warn\"} (or "
           "\"off\") in the settings of "
           "code-executor.";
}

} // namespace

std::vector<code_policy::violation> find_patterns(msg::language lang, const std::string& code) {
  return code_policy::find_violations(
    lang == msg::language::python ? code_policy::language::python : code_policy::language::typescript, code);
}

pattern_verdict judge_patterns(pattern_policy policy, const msg::fault& problem,
                               const std::vector<code_policy::violation>& found) {
  if (problem.code != errc::none)
    return {failure(problem.code, "the program was not run, because it could not be checked for dangerous patterns: "
                                    + problem.message),
            {}};
  if (!found.empty() && policy == pattern_policy::block) {
    auto refused = failure(errc::dangerous_code, refusal_text(found));
    refused.error.line = found.front().line;
    refused.error.column = found.front().column;
    return {std::move(refused), {}};
  }
  pattern_verdict verdict;
  for (size_t i = 0; i < std::min(found.size(), patterns_warned_max); ++i)
    verdict.warnings.push_back("Warning: dangerous pattern: " + code_policy::describe(found[i]) + ".");
  return verdict;
}

} // namespace actors::run
