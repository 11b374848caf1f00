#include "mcp/input_rounds.hpp"

#include "mcp/fields.hpp"

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
  waiting_.emplace(key, entry{std::move(call), std::move(round.value), {}, {}});
  if (questions.empty())
    routes_.pause(input_round_pause);
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
  if (found->second.visits)
    return said_of_visit(key, question, said);
  if (said.ok()) {
    found->second.round.answer(question.key, completed(question.kind, question.params, said.value).value());
  } else if (auto instead = answer_without(question.kind, said.error)) {
    found->second.round.answer(question.key, std::move(*instead));
  } else {
    return fail(key, {said.error.code, "server '" + server_ + "' wants the answer of a model: " + said.error.message});
  }
  if (!found->second.round.is_answered())
    return;
  make_again(found);
}

void input_rounds::make_again(std::map<msg::call_key, entry>::iterator which) {
  auto complete = waiting_.extract(which);
  routes_.again(std::move(complete.mapped().call), complete.mapped().round.parameters());
}

// ---- visits ----------------------------------------------------------------------------------

void input_rounds::begin_visits(waiting_call call, input_round visits, std::string refusal) {
  auto key = call.call.key;
  ++call.rounds;
  auto questions = visits.questions();
  visit wanted{std::move(refusal), {}, false, {}};
  for (auto& question : questions)
    wanted.open.emplace(string_in(question.params.value().if_object(), "elicitationId"));
  waiting_.emplace(key, entry{std::move(call), std::move(visits), {}, std::move(wanted)});
  ask_all(key, questions);
}

void input_rounds::said_of_visit(msg::call_key key, const input_question& question,
                                 const server_questions::answer& said) {
  auto& [call, round, asked, visits] = waiting_.at(key);
  auto action = string_in(said.value.value().if_object(), "action");
  if (!said.ok() || action != "accept")
    return fail(key, {errc::tool_failed, visits->refusal + " ("
                                           + (!said.ok()            ? said.error.message
                                              : action == "decline" ? "the person does not want to"
                                                                    : "the person has not decided")
                                           + ")"});
  round.answer(question.key, nullptr);
  visits->is_agreed = round.is_answered();
  if (!visits->is_agreed)
    return;
  if (visits->open.empty())
    return make_again(waiting_.find(key));
  routes_.pause(input_round_pause);
}

void input_rounds::visited(std::string_view elicitation) {
  std::vector<msg::call_key> ready;
  for (auto& [key, waits] : waiting_)
    if (auto open = waits.visits ? waits.visits->open.find(elicitation) : decltype(visit::open)::iterator{};
        waits.visits && open != waits.visits->open.end()) {
      waits.visits->open.erase(open);
      if (waits.visits->is_agreed && waits.visits->open.empty())
        ready.push_back(key);
    }
  for (auto& key : ready)
    if (auto found = waiting_.find(key); found != waiting_.end())
      make_again(found);
}

// ---- time, and the end -----------------------------------------------------------------------

void input_rounds::fail(msg::call_key key, fault why) {
  drop(key);
  routes_.failed(key, std::move(why));
}

void input_rounds::go_on(std::chrono::steady_clock::time_point now) {
  std::vector<msg::call_key> ready;
  bool has_new_visits = false;
  for (auto& [key, waits] : waiting_) {
    auto& visits = waits.visits;
    bool is_due =
      visits ? visits->is_agreed && visits->until && now >= *visits->until : waits.round.questions().empty();
    if (is_due)
      ready.push_back(key);
    else if (visits && visits->is_agreed && !visits->until) {
      visits->until = now + visit_wait_max;
      has_new_visits = true;
    }
  }
  if (has_new_visits)
    routes_.pause(visit_wait_max);
  for (auto& key : ready)
    if (auto found = waiting_.find(key); found != waiting_.end())
      make_again(found);
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
