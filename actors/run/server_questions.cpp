#include "actors/run/server_questions.hpp"

#include "text/utf8.hpp"

#include <string>

namespace actors::run {

using msg::errc;
using msg::fault;
using answer = msg::outcome<msg::document>;

namespace {

constexpr size_t shown_tool_bytes_max = 128;

std::string beginning_of(const msg::server_question& asked) {
  return "server '" + asked.server + "' wanted to ask something in the middle of "
         + (asked.tool.empty() ? "a call" : "'" + text::quoted(asked.tool, shown_tool_bytes_max) + "'") + " ("
         + std::string{to_string(asked.kind)} + ")";
}

/// Others tell their runs themselves.
bool is_of_server(const msg::server_question& asked) {
  return asked.asker == msg::question_asker::server && asked.kind != msg::question_kind::login;
}

} // namespace

void server_questions::take(msg::server_question question, answer_to done) {
  auto refuse = [&](const std::string& why) {
    if (is_of_server(question))
      notes_.add("Warning: " + beginning_of(question) + ", and was refused: " + why + ".");
    done(fault{errc::limit_exceeded, why});
  };
  if (open_.size() >= questions_open_max)
    return refuse(std::to_string(open_.size()) + " questions of this run are open, which is the limit");
  if (last_number_ >= questions_max)
    return refuse(std::to_string(last_number_) + " things have been asked in this run, which is the limit");
  auto number = ++last_number_;
  auto asked = question;
  asked.params = {};
  open_.emplace(number, open_question{std::move(asked), std::move(done)});
  if (open_.size() == 1)
    routes_.stop_clock();
  routes_.ask(number, std::move(question), [this, number](answer said) { answered(number, std::move(said)); });
}

void server_questions::answered(uint64_t number, answer said) {
  if (auto question = open_.extract(number))
    settle(std::move(question), std::move(said));
}

/// The note tells the program, or the model that reads of its run, why its server went on without an answer.
void server_questions::settle(open_questions::node_type question, answer said) {
  auto& asked = question.mapped().asked;
  if (is_of_server(asked) && !said.ok() && said.error.code != errc::cancelled)
    notes_.add("Warning: " + beginning_of(asked) + ", and got no answer: " + said.error.message + ".");
  if (!asked.is_asked_elsewhere)
    routes_.record(asked, said);
  if (open_.empty())
    routes_.start_clock();
  question.mapped().done(std::move(said));
}

template <class Which>
void server_questions::drop(Which which) {
  for (auto at = open_.begin(); at != open_.end();) {
    auto number = at->first;
    if (!which(at->second.asked)) {
      ++at;
      continue;
    }
    routes_.withdraw(number);
    answered(number, fault{errc::cancelled, "nobody waits for the answer any more"});
    at = open_.upper_bound(number); // others may have come or gone meanwhile
  }
}

void server_questions::withdraw(msg::call_key call, uint64_t question) {
  drop([&](auto& asked) { return asked.call == call && asked.number == question; });
}

void server_questions::login_over(const std::string& server, bool is_there) {
  for (auto& [number, question] : open_)
    if (question.asked.kind == msg::question_kind::login && question.asked.server == server)
      routes_.finish(number, is_there);
}

void server_questions::call_ended(uint64_t call) {
  drop([&](auto& asked) { return asked.is_sure && asked.call.call == call; });
}

void server_questions::end_all() {
  drop([](auto&) { return true; });
}

} // namespace actors::run
