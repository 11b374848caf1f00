#include "json_schema/schema.hpp"

#include "compiler.hpp"
#include "evaluation.hpp"

namespace json_schema {

namespace {

bool run_quietly(const program& compiled, const boost::json::value& instance, const validate_limits& limits, bool& undecided) {
  evaluation run{compiled, limits};
  place root;
  bool ok = run.evaluate(compiled.nodes.front(), instance, root, nullptr);
  undecided = run.steps.is_stopped();
  return ok && !undecided;
}

} // namespace

schema::schema(std::shared_ptr<const program> compiled) : program_(std::move(compiled)) {}

bool schema::is_valid(const boost::json::value& instance, const validate_limits& limits) const {
  bool undecided = false;
  return run_quietly(*program_, instance, limits, undecided);
}

result schema::validate(const boost::json::value& instance, const validate_limits& limits) const {
  result out;
  out.valid = run_quietly(*program_, instance, limits, out.undecided);
  if (out.valid)
    return out;
  evaluation run{*program_, limits};
  run.errors = &out.errors;
  place root;
  run.evaluate(program_->nodes.front(), instance, root, nullptr);
  if (run.steps.is_stopped())
    out.errors.push_back({"", "#", "", "a validation within its limits", "", std::string{run.steps.why()}});
  return out;
}

std::variant<schema, compile_error> compile(boost::json::value document, const compile_options& options) {
  return compiler{options}.run(std::move(document));
}

} // namespace json_schema
