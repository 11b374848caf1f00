#include "mcp/server_questions.hpp"

#include "mcp/fields.hpp"

#include <utility>

namespace mcp {

namespace json = boost::json;
using msg::errc;
using msg::fault;
using msg::question_kind;

namespace {

/// Fields of a form that are looked at for defaults; what has more is no form for a person.
constexpr size_t form_fields_max = 200;

/// The properties of what a form wants; null: it says nothing of them.
const json::object* fields_of_form(const msg::document& params) {
  return object_in(object_in(params.value().if_object(), "requestedSchema"), "properties");
}

void add_defaults(const json::object& fields, json::object& to) {
  size_t looked_at = 0;
  for (auto& [name, field] : fields) {
    if (++looked_at > form_fields_max)
      return;
    auto* schema = field.if_object();
    auto* value = schema ? schema->if_contains("default") : nullptr;
    if (value && !value->is_null() && !to.contains(name))
      to[name] = *value;
  }
}

} // namespace

std::optional<question_kind> server_questions::kind_of(std::string_view method, const json::object* params) {
  if (method == "elicitation/create")
    return params && string_or(*params, "mode") == "url" ? question_kind::url : question_kind::form;
  if (method == "sampling/createMessage")
    return question_kind::sampling;
  if (method == "roots/list")
    return question_kind::roots;
  return std::nullopt;
}

uint64_t server_questions::ask(msg::server_question what, std::function<void(answer)> done) {
  auto refuse = [&](errc code, const std::string& why) {
    done(fault{code, "server '" + server_ + "' " + why}.at(server_));
    return uint64_t{0};
  };
  if (open_.size() >= server_questions_max)
    return refuse(errc::overloaded, "has " + std::to_string(open_.size())
                                      + " questions open, which is the limit: it is to wait for answers");
  if (what.params.text_bytes() > msg::question_bytes_max)
    return refuse(errc::limit_exceeded, "asks with " + std::to_string(what.params.text_bytes() >> 10) + " KiB at once; "
                                          + std::to_string(msg::question_bytes_max >> 10) + " KiB is the limit");
  auto number = ++last_number_;
  what.number = number;
  what.server = server_;
  open_.emplace(number, question{what.call, std::move(done)}); // first: it may be answered at once
  owner_.ask(std::move(what));
  return number;
}

void server_questions::answered(uint64_t number, answer said) {
  if (auto asked = open_.extract(number))
    asked.mapped().done(std::move(said));
}

void server_questions::withdraw(uint64_t number) {
  if (auto asked = open_.extract(number))
    owner_.withdraw(asked.mapped().call, number);
}

void server_questions::withdraw_all() {
  for (auto& [number, asked] : std::exchange(open_, {}))
    owner_.withdraw(asked.call, number);
}

bool can_be_asked(const msg::client_abilities& abilities, question_kind kind) {
  switch (kind) {
    case question_kind::form: return abilities.fills_forms;
    case question_kind::url:
    case question_kind::login: return abilities.opens_urls;
    case question_kind::sampling: return abilities.samples;
    case question_kind::roots: return abilities.has_roots;
  }
  return false;
}

std::optional<json::object> answer_without(question_kind kind, const fault& why) {
  switch (kind) {
    case question_kind::form:
    case question_kind::url: return json::object{{"action", why.code == errc::not_allowed ? "decline" : "cancel"}};
    case question_kind::roots: return json::object{{"roots", json::array{}}};
    case question_kind::sampling:
    case question_kind::login: break; // which is of no server
  }
  return std::nullopt;
}

msg::document completed(question_kind kind, const msg::document& params, const msg::document& said) {
  auto* answer = said.value().if_object();
  auto* fields = kind == question_kind::form ? fields_of_form(params) : nullptr;
  if (!answer || !fields || string_or(*answer, "action") != "accept")
    return said;
  auto* given = object_in(answer, "content");
  auto content = given ? *given : json::object{};
  add_defaults(*fields, content);
  auto whole = *answer;
  whole["content"] = std::move(content);
  return msg::document{json::value(std::move(whole))};
}

} // namespace mcp
