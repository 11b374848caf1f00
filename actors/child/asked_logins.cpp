#include "actors/child/asked_logins.hpp"

#include "mcp/fields.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <vector>

namespace child {

namespace json = boost::json;
using msg::errc;
using msg::fault;

asked_logins::logins::iterator asked_logins::find(uint64_t number) {
  return std::find_if(open_.begin(), open_.end(), [number](auto& each) { return each.second.number == number; });
}

void asked_logins::take(const msg::login_request& wanted, login_waiter from) {
  auto refuse = [&](const std::string& why) { from.answer(fault{errc::overloaded, why}); };
  auto found = open_.find(wanted.asker.client);
  if (found == open_.end() && open_.size() >= logins_open_max)
    return refuse("the logins of " + std::to_string(logins_open_max) + " clients at it are open, which is the limit");
  auto& of = found == open_.end() ? open_[wanted.asker.client] : found->second;
  if (of.waiting.size() >= login_runs_max || of.waiting.contains(wanted.run))
    return refuse("too many runs wait for a login at it");
  of.waiting.emplace(wanted.run, std::move(from));
  if (of.number != 0) {
    if (of.page)
      ask(of, wanted.run);
    return;
  }
  auto number = of.number = ++last_number_;
  auto stop = routes_.begin(number);
  if (auto begun = find(number); begun != open_.end())
    begun->second.stop = std::move(stop);
}

void asked_logins::page(uint64_t number, msg::login_page page) {
  auto found = find(number);
  if (found == open_.end() || found->second.page)
    return;
  auto& of = found->second;
  of.page = std::move(page);
  ask_next(of);
  std::vector<uint64_t> others;
  for (auto& [run, waiter] : of.waiting)
    if (run != of.asked_run)
      others.push_back(run);
  for (auto run : others)
    ask(of, run);
}

/// The run that was asked has left, or none was.
void asked_logins::ask_next(login& of) {
  of.asked_run = of.waiting.begin()->first;
  ask(of, of.asked_run);
}

/// One run shows the address, the others only say that they wait. The answer comes later.
void asked_logins::ask(login& of, uint64_t run) {
  msg::server_question question;
  question.call = {run, 0};
  question.number = ++last_question_;
  question.kind = msg::question_kind::login;
  question.server = server_;
  question.is_asked_elsewhere = run != of.asked_run;
  if (!question.is_asked_elsewhere)
    question.params = msg::document{json::value(
      json::object{{"mode", "url"},
                   {"message", of.page->message},
                   {"url", of.page->url},
                   {"elicitationId", "login-" + std::to_string(run) + "-" + std::to_string(question.number)}})};
  of.waiting.at(run).ask(
    std::move(question),
    [this, number = of.number, run](const msg::outcome<msg::document>& answer) { said(number, run, answer); });
}

/// That a person agrees is no news: the browser has yet to come back. Who says no says it for all runs of the client.
void asked_logins::said(uint64_t number, uint64_t run, const msg::outcome<msg::document>& answer) {
  auto found = find(number);
  if (found == open_.end())
    return;
  auto& of = found->second;
  auto action = mcp::string_in(answer.value.value().if_object(), "action");
  if (action == "accept")
    return;
  if (answer.ok() && run == of.asked_run)
    return finish(found, {errc::needs_login, action == "decline" ? "the person does not want to log in"
                                                                 : "the person has not decided whether to log in"});
  auto left = of.waiting.extract(run);
  if (!left)
    return;
  left.mapped().answer(
    fault{answer.error.code == errc::none ? errc::cancelled : answer.error.code, answer.error.message});
  if (of.waiting.empty())
    return finish(found, {errc::cancelled, "nobody waits for the login any more"});
  if (of.asked_run == run)
    ask_next(of);
}

/// Takes it away first: what is answered may come back.
void asked_logins::finish(logins::iterator which, const fault& why) {
  auto over = std::move(which->second);
  open_.erase(which);
  if (over.stop)
    over.stop();
  for (auto& [run, waiter] : over.waiting)
    waiter.answer(why.code == errc::none ? msg::outcome<bool>{true} : msg::outcome<bool>{why});
}

void asked_logins::ended(uint64_t number, const fault& why) {
  auto found = find(number);
  if (found == open_.end())
    return;
  if (why.code != errc::none)
    return finish(found, why);
  routes_.came();
  end_all(why);
}

void asked_logins::end_all(const fault& why) {
  while (!open_.empty())
    finish(open_.begin(), why);
}

} // namespace child
