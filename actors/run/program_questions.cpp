#include "actors/run/program_questions.hpp"

#include "proxy/asked_form.hpp"
#include "proxy/json_member.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <string>

namespace actors::run {

namespace json = boost::json;
using msg::errc;
using msg::fault;

// ---- askUser ---------------------------------------------------------------------------------

void program_questions::take(proxy::guest_question question) {
  if (!requests_.admit(question.id))
    return;
  if (++asked_ > program_questions_max)
    return requests_.answer(
      question.id, fault{errc::limit_exceeded, "askUser: this run has asked " + std::to_string(asked_ - 1)
                                                 + " questions, which is the limit; go on with what is known"});
  requests_.hold(question.id, question.message.size() + question.form.held_bytes());
  msg::server_question asked;
  asked.is_sure = false; // it is of no call of a server
  asked.asker = msg::question_asker::program;
  asked.params = msg::document{json::object{{"message", question.message}, {"requestedSchema", question.form.value()}}};
  routes_.ask(std::move(asked), [this, id = question.id, form = question.form](
                                  const msg::outcome<msg::document>& said) { answered(id, form, said); });
}

/// A person who declines has answered, too.
void program_questions::answered(uint64_t id, const msg::document& form, const msg::outcome<msg::document>& said) {
  if (!said.ok()) {
    auto why = fault{said.error.code, "askUser: " + said.error.message};
    if (why.code == errc::not_allowed)
      why.message += "; decide without an answer, or return the question as the result of the program";
    return requests_.answer(id, std::move(why));
  }
  auto* action = proxy::member(&said.value.value(), "action");
  json::object answer{{"action", action ? *action : json::value{"cancel"}}};
  if (answer["action"] == "accept") {
    auto* content = proxy::member(&said.value.value(), "content");
    auto filled = proxy::filled_form(form.value().get_object(), content ? content->if_object() : nullptr);
    if (!filled.ok())
      return requests_.answer(id, fault{filled.error.code, "askUser: " + filled.error.message});
    answer["content"] = std::move(filled.value);
  }
  requests_.answer(id, msg::document{json::value(std::move(answer))});
}

// ---- approve ---------------------------------------------------------------------------------

void program_questions::take(proxy::guest_approval approval) {
  if (!requests_.admit(approval.id))
    return;
  if (approval.calls.empty() || !consents_.are_needed())
    return consents_.announce_all(answer_to(approval.id));
  auto tools = std::make_shared<lookup>();
  tools->id = approval.id;
  tools->wanted = std::move(approval.calls);
  look_up(tools);
}

/// One after the other: the server of each may have to be started for it.
void program_questions::look_up(const std::shared_ptr<lookup>& tools) {
  if (tools->next == tools->wanted.size())
    return consents_.announce(std::move(tools->found), answer_to(tools->id));
  routes_.describe(tools->wanted[tools->next].tool,
                   [this, tools](msg::outcome<msg::tool_info> tool) { found(tools, std::move(tool)); });
}

/// Two names may mean one tool.
void program_questions::found(const std::shared_ptr<lookup>& tools, msg::outcome<msg::tool_info> tool) {
  if (is_over_)
    return;
  if (!tool.ok()) {
    tool.error.message = "approve: " + tool.error.message;
    return requests_.answer(tools->id, std::move(tool.error));
  }
  auto count = tools->wanted[tools->next++].count;
  auto& found = tools->found;
  auto same = std::find_if(found.begin(), found.end(),
                           [&](auto& f) { return f.to.server == tool.value.server && f.to.tool == tool.value.name; });
  if (same != found.end())
    same->count += count;
  else if (tool.value.needs_consent)
    found.push_back({{std::move(tool.value.server), std::move(tool.value.name)}, count, {}, 0});
  look_up(tools);
}

consents::announced program_questions::answer_to(uint64_t id) {
  return [this, id](msg::outcome<bool> agreed) {
    if (agreed.ok())
      requests_.answer(id, msg::document{json::value(agreed.value)});
    else
      requests_.answer(id, std::move(agreed.error));
  };
}

} // namespace actors::run
