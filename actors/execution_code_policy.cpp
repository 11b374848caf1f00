// Before anything of a run: whether its program holds what the policy does not want.
#include "actors/execution.hpp"
#include "code_policy/violations.hpp"
#include "messages/limits.hpp"

#include <caf/all.hpp>

namespace actors {

using config::pattern_policy;
using msg::errc;
using msg::run_status;

namespace {

/// Above this the worker looks: about 1 ms of work.
constexpr size_t inline_code_bytes_max = 32u << 10;
/// A warning names so many.
constexpr size_t warned_max = 5;

code_policy::language language_of(msg::language l) {
  return l == msg::language::python ? code_policy::language::python : code_policy::language::typescript;
}

/// `found` is not empty.
std::string refusal(const std::vector<code_policy::violation>& found) {
  return "The program was not run, because it holds a dangerous pattern: " + code_policy::describe(found)
         + "\nWrite it without, or allow such programs with \"security\": {\"dangerousPatterns\": \"warn\"} (or \"off\") in the settings of "
           "code-executor.";
}

} // namespace

void execution_state::check_patterns() {
  if (options_.patterns == pattern_policy::off)
    return start();
  found_ = std::make_shared<std::vector<code_policy::violation>>();
  if (request_.code.size() <= inline_code_bytes_max) {
    *found_ = code_policy::find_violations(language_of(request_.lang), request_.code);
    return patterns_checked({});
  }
  auto me = caf::actor_cast<msg::execution_actor>(self_);
  auto work = [found = found_, code = request_.code, lang = language_of(request_.lang)] { *found = code_policy::find_violations(lang, code); };
  options_.offload(std::move(work), [me](msg::fault problem) {
    auto answer = problem.code == errc::none ? msg::outcome<msg::document>{} : msg::outcome<msg::document>{std::move(problem)};
    caf::anon_send(me, msg::reply_atom::value, check_id, std::move(answer));
  });
}

/// A program that could not be looked at does not run.
void execution_state::patterns_checked(const msg::fault& problem) {
  auto found = std::move(*std::exchange(found_, nullptr));
  if (ended_)
    return;
  if (problem.code != errc::none) {
    msg::program_error e;
    e.code = problem.code;
    e.message = "the program was not run, because it could not be checked for dangerous patterns: " + problem.message;
    return finish({run_status::error, std::move(e), 1});
  }
  if (found.empty())
    return start();
  if (options_.patterns == pattern_policy::block) {
    msg::program_error e;
    e.code = errc::dangerous_code;
    e.message = refusal(found);
    e.line = found.front().line;
    e.column = found.front().column;
    return finish({run_status::error, std::move(e), 1});
  }
  for (size_t i = 0; i < std::min(found.size(), warned_max); ++i)
    note("Warning: dangerous pattern: " + code_policy::describe(found[i]) + ".");
  start();
}

} // namespace actors
