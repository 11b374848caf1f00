// Before a run: whether the types of its program fit, if it was asked for.
#include "actors/execution.hpp"
#include "messages/limits.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <caf/all.hpp>

namespace actors {

namespace json = boost::json;
using msg::errc;
using msg::run_status;

namespace {

/// Told of one program; the first explain most of the others.
constexpr size_t problems_shown_max = 20;

uint32_t position_at(const json::object& problem, const char* key) {
  auto* v = problem.if_contains(key);
  return v && v->is_int64() && v->get_int64() > 0 && v->get_int64() <= UINT32_MAX ? static_cast<uint32_t>(v->get_int64()) : 0;
}

std::string message_of(const json::object& problem) {
  auto* v = problem.if_contains("message");
  return v && v->is_string() ? std::string{v->get_string()} : std::string{};
}

/// The first has its place in the error itself, the others before their messages.
msg::program_error error_of(const json::array& problems) {
  msg::program_error e;
  e.name = "TypeCheckError";
  for (size_t i = 0; i < std::min(problems.size(), problems_shown_max); ++i) {
    auto* problem = problems[i].if_object();
    if (!problem)
      continue;
    auto line = position_at(*problem, "line"), column = position_at(*problem, "column");
    if (e.line == 0) {
      e.line = line;
      e.column = column;
    }
    e.message += (e.message.empty() ? "" : "\n") + std::to_string(line) + ":" + std::to_string(column) + ": " + message_of(*problem);
  }
  if (problems.size() > problems_shown_max)
    e.message += "\nand " + std::to_string(problems.size() - problems_shown_max) + " more";
  return e;
}

} // namespace

/// Nothing is started for it: what is not known yet has any type.
void execution_state::ask_for_types() {
  auto check = [this](msg::tool_list tools) {
    guest_pending_ = false;
    if (ended_)
      return self_->quit();
    if (!options_.check_types)
      return types_checked(msg::fault{errc::runtime_missing, "types can not be checked here"});
    guest_pending_ = true;
    auto me = caf::actor_cast<msg::execution_actor>(self_);
    check_request what{request_.code, std::move(tools), std::chrono::milliseconds{request_.timeout_ms}};
    stop_check_ = options_.check_types(
      std::move(what), [me](msg::outcome<msg::document> problems) { caf::anon_send(me, msg::reply_atom::value, check_id, std::move(problems)); });
  };
  guest_pending_ = true;
  msg::tool_query all;
  all.allowed = request_.allowed;
  self_->request(options_.connector, std::chrono::milliseconds{request_.timeout_ms}, msg::search_atom::value, std::move(all))
    .then([check](msg::outcome<msg::tool_matches>& known) { check(known.ok() ? std::move(known.value.tools) : msg::tool_list{}); },
          [check](caf::error&) { check({}); });
}

void execution_state::types_checked(const msg::outcome<msg::document>& problems) {
  stop_check_ = nullptr;
  guest_pending_ = false;
  if (ended_)
    return self_->quit();
  if (!problems.ok()) {
    msg::program_error e;
    e.code = problems.error.code;
    e.message = problems.error.message;
    return finish({e.code == errc::run_timeout ? run_status::timeout : run_status::error, std::move(e), 1});
  }
  auto& list = problems.value.value().as_array();
  if (!list.empty())
    return finish({run_status::error, error_of(list), 1});
  ask_for_guest();
}

} // namespace actors
