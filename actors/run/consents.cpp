#include "actors/run/consents.hpp"

#include "proxy/json_member.hpp"
#include "proxy/names.hpp"

#include <algorithm>
#include <set>

namespace actors::run {

using msg::errc;
using msg::fault;

namespace {

bool is_action(const msg::outcome<msg::document>& said, std::string_view action) {
  auto* told = said.ok() ? proxy::member(&said.value.value(), "action") : nullptr;
  return told && told->is_string() && std::string_view{told->get_string()} == action;
}

/// Whether the same question may find an answer a moment later; else nobody is asked again.
bool is_passing(errc code) { return code == errc::overloaded || code == errc::cancelled; }

/// Why there is no consent, as the end of a sentence.
std::string reason_of(const msg::outcome<msg::document>& said) {
  if (!said.ok())
    return "nobody could be asked: " + said.error.message;
  return is_action(said, "decline") ? "the user has declined" : "the user has closed the question without an answer";
}

fault not_approved(const msg::consent& to, const std::string& why) {
  return fault{errc::not_approved, "'" + proxy::full_name(to.server, to.tool)
                                     + "' needs the user's approval (security.confirm), and " + why}
    .at(to.server, to.tool);
}

constexpr auto not_again =
  "; it is not asked for again in this run: do something else, or tell the user what is needed";

} // namespace

void consents::want(wanted_consent call, verdict then) {
  if (is_over_)
    return;
  waiting_.push_back({std::move(call), std::move(then)});
  go_on();
}

void consents::announce(std::vector<asked_calls> calls, announced then) {
  if (calls.empty())
    return then(true);
  announced_.push_back({std::move(calls), std::move(then)});
  go_on();
}

void consents::announce_all(announced then) {
  if (!are_needed())
    return then(true);
  announced_.push_back({{}, std::move(then)});
  go_on();
}

void consents::stop() {
  is_over_ = true;
  waiting_.clear();
  announced_.clear();
}

/// Announcements go first: what waits may be a part of them.
void consents::go_on() {
  settle_known();
  if (is_over_ || is_asking_)
    return;
  if (!announced_.empty())
    ask_for_announced();
  else if (!waiting_.empty())
    gather();
}

/// Calls that wait no longer, in their order.
template <class Which>
std::vector<consents::waiting_call> consents::taken_out(Which which) {
  std::vector<waiting_call> out;
  std::deque<waiting_call> left;
  for (auto& each : waiting_)
    which(each.wanted) ? out.push_back(std::move(each)) : left.push_back(std::move(each));
  waiting_ = std::move(left);
  return out;
}

/// As far as what was agreed to goes.
void consents::settle_known() {
  for (auto& [wanted, then] : taken_out([this](auto& w) { return !refusal_of(w.to).empty() || take_one(w.to); })) {
    auto why = refusal_of(wanted.to);
    then(why.empty() ? fault{} : not_approved(wanted.to, why));
  }
}

std::string consents::refusal_of(const msg::consent& to) const {
  auto found = standings_.find(key_of(to));
  if (found != standings_.end() && !found->second.refused.empty())
    return found->second.refused;
  bool is_left = found != standings_.end() && found->second.left > 0;
  return refusals_ < consent_refusals_max || is_left || is_all_agreed_
           ? std::string{}
           : "nobody is asked any more in this run, in which there was no agreement to "
               + std::to_string(consent_refusals_max) + " questions";
}

bool consents::take_one(const msg::consent& to) {
  if (is_all_agreed_)
    return true;
  auto found = standings_.find(key_of(to));
  if (found == standings_.end() || found->second.left == 0)
    return false;
  --found->second.left;
  return true;
}

void consents::refuse(const std::vector<asked_calls>& asked, const std::string& why) {
  ++refusals_;
  for (auto& each : asked)
    standings_[key_of(each.to)].refused = why + not_again;
}

// ---- calls -----------------------------------------------------------------------------------

void consents::gather() {
  if (std::exchange(is_gathering_, true))
    return;
  routes_.later(consent_gathering, [this] {
    is_gathering_ = false;
    if (!is_over_ && !is_asking_ && !waiting_.empty())
      ask_for_calls();
  });
}

void consents::ask_for_calls() {
  std::vector<asked_calls> asked;
  std::vector<uint64_t> calls;
  size_t shown = 0;
  for (auto& [wanted, then] : waiting_) {
    auto of_tool = std::find_if(asked.begin(), asked.end(), [&](auto& a) { return key_of(a.to) == key_of(wanted.to); });
    if (of_tool == asked.end()) {
      if (asked.size() == consent_tools_max)
        continue;
      auto before = standings_.find(key_of(wanted.to));
      auto agreed = before == standings_.end() ? 0 : before->second.agreed;
      of_tool = asked.insert(asked.end(), asked_calls{wanted.to, 0, {}, agreed});
    }
    ++of_tool->count;
    calls.push_back(wanted.call);
    if (of_tool->arguments.empty() || shown < shown_arguments_max) {
      of_tool->arguments.push_back(short_arguments(wanted.arguments));
      ++shown;
    }
  }
  is_asking_ = true;
  auto question = question_of_calls(asked);
  routes_.ask(std::move(question), [this, asked = std::move(asked), calls = std::move(calls)](auto said) {
    is_asking_ = false;
    if (!is_over_)
      calls_answered(asked, calls, said);
  });
}

/// What has come since is of the next question, unless this answer is no.
void consents::calls_answered(const std::vector<asked_calls>& asked, const std::vector<uint64_t>& calls,
                              const msg::outcome<msg::document>& said) {
  bool is_agreed = is_action(said, "accept");
  if (is_agreed)
    for (auto& each : asked)
      standings_[key_of(each.to)].agreed += each.count;
  else if (said.ok() || !is_passing(said.error.code))
    refuse(asked, reason_of(said));
  std::set<uint64_t> asked_for{calls.begin(), calls.end()};
  for (auto& [wanted, then] : taken_out([&](auto& w) { return asked_for.contains(w.call); })) {
    auto lasting = refusal_of(wanted.to);
    then(is_agreed ? fault{} : not_approved(wanted.to, lasting.empty() ? reason_of(said) : lasting));
  }
  go_on();
}

// ---- announcements ---------------------------------------------------------------------------

void consents::ask_for_announced() {
  auto asked = std::move(announced_.front());
  announced_.pop_front();
  auto why = asked.calls.empty() ? all_refused_ : std::string{};
  for (auto& each : asked.calls) {
    if (why.empty())
      why = refusal_of(each.to);
    if (auto before = standings_.find(key_of(each.to)); before != standings_.end())
      each.agreed_before = before->second.agreed;
  }
  bool is_refused = !why.empty() || (!is_all_agreed_ && refusals_ >= consent_refusals_max);
  if (is_refused || is_all_agreed_) {
    asked.then(!is_refused);
    return go_on();
  }
  is_asking_ = true;
  auto question = asked.calls.empty() ? question_of_all(patterns_) : question_of_announced(asked.calls);
  routes_.ask(std::move(question), [this, asked = std::move(asked)](auto said) {
    is_asking_ = false;
    if (!is_over_)
      announced_answered(asked, said);
  });
}

void consents::announced_answered(const announcement& asked, const msg::outcome<msg::document>& said) {
  if (is_action(said, "accept")) {
    for (auto& each : asked.calls) {
      auto& of_tool = standings_[key_of(each.to)];
      of_tool.left += each.count;
      of_tool.agreed += each.count;
    }
    is_all_agreed_ |= asked.calls.empty();
    asked.then(true);
    return go_on();
  }
  if (said.ok() || !is_passing(said.error.code)) {
    refuse(asked.calls, reason_of(said));
    if (asked.calls.empty())
      all_refused_ = reason_of(said);
  }
  if (said.ok())
    asked.then(false);
  else
    asked.then(fault{errc::not_approved, "approve: " + reason_of(said) + " (security.confirm)"});
  go_on();
}

} // namespace actors::run
