#include "mcp/input_rounds.hpp"

#include <utility>

namespace mcp {

namespace json = boost::json;
using msg::errc;
using msg::fault;

void input_rounds::begin(waiting_call call, const json::object& result) {
  auto key = call.call.key;
  if (++call.rounds > input_rounds_max)
    return routes_.failed(
      key, {errc::limit_exceeded, "server '" + server_ + "' has asked " + std::to_string(input_rounds_max)
                                    + " times for more before it would answer, which is the limit"});
  auto round = input_round::read(result);
  if (!round.ok())
    return routes_.failed(key, {round.error.code, "server '" + server_ + "' " + round.error.message});
  auto questions = round.value.questions();
  waiting_.emplace(key, entry{std::move(call), std::move(round.value), {}});
  if (questions.empty())
    routes_.pause();
  else
    ask_all(key, questions);
}

/// What is refused at once is answered within this, and so may the whole call be.
void input_rounds::ask_all(msg::call_key key, const std::vector<input_question>& questions) {
  for (auto& question : questions) {
    msg::server_question what;
    what.call = key;
    what.kind = question.kind;
    what.params = question.params;
    auto number = questions_.ask(
      std::move(what), [this, key, question](const server_questions::answer& said) { answered(key, question, said); });
    auto waits = waiting_.find(key);
    if (waits == waiting_.end())
      return questions_.withdraw(number);
    waits->second.asked.push_back(number);
  }
}

void input_rounds::answered(msg::call_key key, const input_question& question, const server_questions::answer& said) {
  auto found = waiting_.find(key);
  if (found == waiting_.end())
    return;
  if (said.ok()) {
    found->second.round.answer(question.key, completed(question.kind, question.params, said.value).value());
  } else if (auto instead = answer_without(question.kind, said.error)) {
    found->second.round.answer(question.key, std::move(*instead));
  } else {
    return fail(key, {said.error.code, "server '" + server_ + "' wants the answer of a model: " + said.error.message});
  }
  if (!found->second.round.is_answered())
    return;
  auto complete = waiting_.extract(found);
  routes_.again(std::move(complete.mapped().call), complete.mapped().round.parameters());
}

void input_rounds::fail(msg::call_key key, fault why) {
  drop(key);
  routes_.failed(key, std::move(why));
}

void input_rounds::go_on() {
  std::vector<msg::call_key> ready;
  for (auto& [key, waits] : waiting_)
    if (waits.round.questions().empty())
      ready.push_back(key);
  for (auto& key : ready)
    if (auto waits = waiting_.extract(key))
      routes_.again(std::move(waits.mapped().call), waits.mapped().round.parameters());
}

bool input_rounds::drop(msg::call_key key) {
  auto waits = waiting_.extract(key);
  if (waits)
    for (auto number : waits.mapped().asked)
      questions_.withdraw(number);
  return !waits.empty();
}

std::vector<msg::call_key> input_rounds::drop_all() {
  std::vector<msg::call_key> out;
  while (!waiting_.empty()) {
    out.push_back(waiting_.begin()->first);
    drop(out.back());
  }
  return out;
}

} // namespace mcp
