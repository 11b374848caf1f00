#include "json_schema/schema.hpp"

#include "compiler.hpp"
#include "evaluation.hpp"

namespace json_schema {

namespace {

/// `why` is the limit that ended it, if one did.
bool run_quietly(const program& compiled, const boost::json::value& instance, const validate_limits& limits,
                 std::string_view& why) {
  evaluation run{compiled, limits};
  bool ok = run.evaluate(compiled.nodes.front(), instance, place{}, nullptr);
  why = run.steps.why();
  return ok && why.empty();
}

/// Gives the limit that ended the search, if one did.
std::string_view find_errors(const program& compiled, const boost::json::value& instance, const validate_limits& limits,
                             std::vector<error>& out) {
  evaluation run{compiled, limits};
  run.errors = &out;
  run.evaluate(compiled.nodes.front(), instance, place{}, nullptr);
  return run.steps.why();
}

} // namespace

schema::schema(std::shared_ptr<const program> compiled) : program_(std::move(compiled)) {}

bool schema::is_valid(const boost::json::value& instance, const validate_limits& limits) const {
  std::string_view why;
  return run_quietly(*program_, instance, limits, why);
}

result schema::validate(const boost::json::value& instance, const validate_limits& limits) const {
  result out;
  std::string_view why;
  out.valid = run_quietly(*program_, instance, limits, why);
  if (!out.valid && why.empty())
    why = find_errors(*program_, instance, limits, out.errors);
  out.undecided = !why.empty() && out.errors.empty();
  if (!why.empty())
    out.errors.push_back({"", "#", "", "a validation within its limits", "", std::string{why}, {}, ""});
  return out;
}

const std::vector<compile_error>& schema::ignored() const { return program_->ignored; }

size_t schema::memory_bytes() const { return program_->memory_bytes; }

std::variant<schema, compile_error> compile(boost::json::value document, const compile_options& options) {
  return compiler{options}.run(std::move(document));
}

} // namespace json_schema
