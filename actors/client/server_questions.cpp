#include "actors/client/server_questions.hpp"

#include "mcp/question_wording.hpp"

#include <string>

namespace client {

using msg::errc;
using msg::fault;

void server_questions::take(msg::call_key key, msg::server_question asked, answered done) {
  if (auto why = mcp::problem_of_asking(asked, routes_.client_of(key.run)); !why.empty())
    return done(fault{errc::not_allowed, std::move(why)});
  open_.emplace(key, open_question{0, std::move(done)});
  routes_.rest(key.run, [this, key, asked = std::move(asked)](bool may_rest) {
    if (!open_.contains(key)) // given up meanwhile
      return;
    if (may_rest)
      return ask(key, asked);
    end(key, fault{errc::overloaded, "too many runs wait for an answer of a person; try again later"});
  });
}

void server_questions::ask(msg::call_key key, const msg::server_question& asked) {
  auto kind = asked.kind;
  auto take = [this, key, kind](const msg::outcome<msg::document>& said) {
    if (said.ok())
      return end(key, mcp::checked_answer(kind, said.value));
    bool is_for_program = kind == msg::question_kind::sampling; // what a person has said is not
    end(key, is_for_program ? said : fault{said.error.code, "the client has answered with an error"});
  };
  auto number = routes_.ask(key.run, to_string(kind), mcp::worded_for(asked, routes_.client_of(key.run)), take);
  if (auto open = open_.find(key); open != open_.end() && number != 0)
    open->second.number = number;
  else if (number == 0)
    end(key, fault{errc::overloaded,
                   "the client has too much to answer, or does not read what it is sent; try again later"});
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
  if (auto number = question->second.number; number != 0)
    routes_.withdraw(number, "no server waits for the answer any more");
  end(key, fault{errc::cancelled, "nobody waits for the answer any more"});
}

} // namespace client
