#include "actors/client/server_questions.hpp"

#include "mcp/fields.hpp"
#include "mcp/question_wording.hpp"

#include <boost/json/value.hpp>

#include <string>

namespace client {

namespace json = boost::json;
using msg::errc;
using msg::fault;

namespace {

std::string text_in(const msg::document& in, std::string_view key) {
  return std::string{mcp::string_in(in.value().if_object(), key)};
}

/// Of a question to a person: what the client's error says may be the person's words, what we say of its message is
/// not.
fault without_their_words(const fault& why) {
  bool is_ours = why.code == errc::protocol_violation;
  return {why.code, is_ours ? "the client's answer could not be taken: " + why.message
                            : std::string{"the client has answered with an error"}};
}

} // namespace

void server_questions::take(msg::call_key key, msg::server_question asked, answered done) {
  auto why = asked.is_asked_elsewhere ? std::string{} : mcp::problem_of_asking(asked, routes_.client_of(key.run));
  if (!why.empty())
    return done(fault{errc::not_allowed, std::move(why)});
  open_.emplace(key, open_question{0, std::move(done)});
  routes_.rest(key.run, [this, key, asked = std::move(asked)](bool may_rest) {
    if (!open_.contains(key)) // given up meanwhile
      return;
    if (may_rest)
      return asked.is_asked_elsewhere ? void() : ask(key, asked);
    end(key, fault{errc::overloaded, "too many runs wait for an answer of a person; try again later"});
  });
}

void server_questions::ask(msg::call_key key, const msg::server_question& asked) {
  auto kind = asked.kind;
  auto take = [this, key, kind](const msg::outcome<msg::document>& answer) {
    if (answer.ok())
      return said(key, kind, mcp::checked_answer(kind, answer.value));
    bool is_for_program = kind == msg::question_kind::sampling; // what a person has said is not
    end(key, is_for_program ? answer : without_their_words(answer.error));
  };
  auto params = mcp::worded_for(asked, routes_.client_of(key.run));
  auto login = kind == msg::question_kind::login ? text_in(params, "elicitationId") : std::string{};
  auto number = routes_.ask(key.run, to_string(kind), params, take);
  if (auto open = open_.find(key); open != open_.end() && number != 0) {
    open->second.number = number;
    open->second.login = std::move(login);
  } else if (number == 0)
    end(key, fault{errc::overloaded,
                   "the client has too much to answer, or does not read what it is sent; try again later"});
}

/// Who agrees to a login goes there: it is over when that is told.
void server_questions::said(msg::call_key key, msg::question_kind kind, msg::outcome<msg::document> answer) {
  auto open = open_.find(key);
  bool is_agreed = kind == msg::question_kind::login && answer.ok() && text_in(answer.value, "action") == "accept";
  if (!is_agreed || open == open_.end())
    return end(key, std::move(answer));
  open->second.number = 0;
  open->second.agreed = std::move(answer.value);
}

/// The client may show until then that it waits for its person.
void server_questions::tell_end(msg::call_key key) {
  if (auto open = open_.find(key); open != open_.end() && !open->second.login.empty())
    routes_.tell(key.run, "notifications/elicitation/complete",
                 json::object{{"elicitationId", std::exchange(open->second.login, {})}});
}

void server_questions::login_over(msg::call_key key, bool is_there) {
  auto open = open_.find(key);
  if (open == open_.end())
    return;
  bool has_agreed = !open->second.agreed.value().is_null();
  if (!has_agreed && !is_there)
    return give_up(key);
  tell_end(key);
  if (auto number = open->second.number; number != 0)
    routes_.withdraw(number, "the login is there already");
  end(key,
      has_agreed ? std::move(open->second.agreed) : msg::document{json::value(json::object{{"action", "accept"}})});
}

void server_questions::end(msg::call_key key, msg::outcome<msg::document> said) {
  auto question = open_.extract(key);
  if (!question)
    return;
  auto other = open_.lower_bound({key.run, 0});
  if (other == open_.end() || other->first.run != key.run)
    routes_.go_on(key.run);
  question.mapped().done(std::move(said));
}

void server_questions::give_up(msg::call_key key) {
  auto question = open_.find(key);
  if (question == open_.end())
    return;
  if (!question->second.agreed.value().is_null())
    tell_end(key);
  if (auto number = question->second.number; number != 0)
    routes_.withdraw(number, "no server waits for the answer any more");
  end(key, fault{errc::cancelled, "nobody waits for the answer any more"});
}

} // namespace client
