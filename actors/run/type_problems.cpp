#include "actors/run/type_problems.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

namespace actors::run {

namespace json = boost::json;
using msg::errc;
using msg::run_status;

namespace {

uint32_t position_at(const json::object& problem, const char* key) {
  auto* v = problem.if_contains(key);
  return v && v->is_int64() && v->get_int64() > 0 && v->get_int64() <= UINT32_MAX
           ? static_cast<uint32_t>(v->get_int64())
           : 0;
}

std::string message_of(const json::object& problem) {
  auto* v = problem.if_contains("message");
  return v && v->is_string() ? std::string{v->get_string()} : std::string{};
}

msg::program_error error_of(const json::array& problems) {
  msg::program_error e;
  e.name = "TypeCheckError";
  for (size_t i = 0; i < std::min(problems.size(), type_problems_shown_max); ++i) {
    auto* problem = problems[i].if_object();
    if (!problem)
      continue;
    auto line = position_at(*problem, "line"), column = position_at(*problem, "column");
    if (e.line == 0) {
      e.line = line;
      e.column = column;
    }
    e.message += (e.message.empty() ? "" : "\n") + std::to_string(line) + ":" + std::to_string(column) + ": "
                 + message_of(*problem);
  }
  if (problems.size() > type_problems_shown_max)
    e.message += "\nand " + std::to_string(problems.size() - type_problems_shown_max) + " more";
  return e;
}

} // namespace

std::optional<ending> judge_types(const msg::outcome<msg::document>& problems) {
  if (!problems.ok()) {
    auto failed = failure(problems.error.code, problems.error.message);
    failed.status = problems.error.code == errc::run_timeout ? run_status::timeout : run_status::error;
    return failed;
  }
  auto& list = problems.value.value().as_array();
  if (list.empty())
    return {};
  return ending{run_status::error, error_of(list), 1};
}

} // namespace actors::run
