#include "actors/run/program_check.hpp"

#include "actors/run/pattern_check.hpp"
#include "actors/run/type_problems.hpp"

#include <memory>

namespace actors::run {

void program_check::begin(const msg::run_request& request, std::function<void(std::optional<ending>)> done) {
  request_ = &request;
  done_ = std::move(done);
  if (policy_ == config::pattern_policy::off)
    return check_types();
  auto found = std::make_shared<std::vector<code_policy::violation>>();
  auto look = [found, code = request.code, lang = request.lang] {
    *found = find_patterns(lang, code);
    return msg::outcome<msg::document>{};
  };
  auto looked = [this, found](const msg::outcome<msg::document>& answer) { judge_patterns(answer.error, *found); };
  if (request.code.size() > inline_code_bytes_max)
    return others_.elsewhere(look, looked);
  looked(look());
}

void program_check::judge_patterns(const msg::fault& problem, const std::vector<code_policy::violation>& found) {
  if (is_over_)
    return;
  auto verdict = run::judge_patterns(policy_, problem, found);
  for (auto& warning : verdict.warnings)
    notes_.add(std::move(warning));
  if (verdict.refused)
    return end(std::move(verdict.refused));
  check_types();
}

void program_check::check_types() {
  if (!request_->type_check)
    return end({});
  auto checked = [this](const msg::outcome<msg::document>& problems) {
    stop_types_ = nullptr;
    if (!is_over_)
      end(judge_types(problems));
  };
  others_.known_tools([this, checked](msg::tool_list tools) {
    if (is_over_ || !others_.check_types)
      return checked(msg::fault{msg::errc::runtime_missing, "types can not be checked here"});
    stop_types_ = others_.check_types({request_->code, std::move(tools), request_->timeout_ms}, checked);
  });
}

void program_check::end(std::optional<ending> how) {
  is_over_ = true;
  std::exchange(done_, nullptr)(std::move(how));
}

void program_check::stop() {
  is_over_ = true;
  if (stop_types_)
    std::exchange(stop_types_, nullptr)();
}

} // namespace actors::run
