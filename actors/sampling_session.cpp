#include "actors/sampling_session.hpp"

#include "sampling/guards.hpp"
#include "sampling/token_estimate.hpp"
#include "text/utf8.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <caf/all.hpp>

#include <algorithm>
#include <utility>

namespace actors {

namespace json = boost::json;
using msg::errc;
using msg::fault;
using answer_outcome = msg::outcome<msg::model_answer>;
using document_outcome = msg::outcome<msg::document>;

namespace {

/// Questions of one run that wait for their model, or for the program to take their text.
constexpr size_t questions_max = 200;
constexpr size_t tool_name_bytes_max = 100; ///< in an error
/// Numbers of the questions of different runs do not meet.
constexpr uint64_t questions_of_run_max = 1'000'000;

json::object usage_doc(const msg::token_usage& usage) {
  json::object out{{"inputTokens", usage.input}, {"outputTokens", usage.output}};
  if (usage.is_estimated)
    out["estimated"] = true;
  return out;
}

/// As the guest gets it.
msg::document answer_doc(const msg::model_answer& answer) {
  return msg::document{
    json::object{{"text", answer.text}, {"model", answer.model}, {"stopReason", to_string(answer.stop)}, {"usage", usage_doc(answer.usage)}}};
}

uint32_t lowest(uint32_t configured, uint32_t wished) { return wished == 0 ? configured : std::min(configured, wished); }

/// Those of `configured` that the run wants, too.
std::vector<std::string> both(std::vector<std::string> configured, const msg::sampling_options& wish) {
  if (wish.has_models)
    std::erase_if(configured, [&](auto& m) { return std::find(wish.models.begin(), wish.models.end(), m) == wish.models.end(); });
  return configured;
}

} // namespace

fault may_sample(const sampling_rules& rules, const msg::run_request& run) {
  using msg::sampling_switch;
  if (!rules.may_be_asked || run.sampling.enabled == sampling_switch::off)
    return {errc::not_allowed, run.sampling.enabled == sampling_switch::off ? "Sampling not enabled: the run has enableSampling: false"
                                                                            : "Sampling is switched off by the settings (sampling.enabled: false)"};
  if (run.sampling.enabled == sampling_switch::as_configured && !rules.enabled)
    return {errc::not_allowed, "Sampling not enabled. Pass enableSampling: true"};
  if (run.client_samples || rules.provider)
    return {};
  return {errc::model_failed,
          "nobody can answer: the client has no model for its servers (it did not declare the capability 'sampling'), and " + rules.no_provider};
}

// ---- questions -------------------------------------------------------------------------------

sampling_session_state::question_ptr sampling_session_state::find(uint64_t number) const {
  auto found = open_.find(number);
  return found == open_.end() ? nullptr : found->second;
}

/// The one that the program names, if it may; else the route's own; else the first that the run may ask.
fault sampling_session_state::choose_model(question& q) const {
  bool is_narrowed = run_.sampling.has_models;
  auto allowed = both(q.route->models, run_.sampling);
  auto& model = q.request.model;
  model = q.named.empty() ? q.route->model : q.named;
  if (!is_narrowed && model == q.route->model)
    return {};
  if (is_narrowed && q.named.empty() && !allowed.empty() && std::find(allowed.begin(), allowed.end(), model) == allowed.end())
    model = allowed.front();
  return sampling::check_model(model, allowed, (is_narrowed ? "allowedSamplingModels, " : "") + q.route->models_setting);
}

/// errc::none: `q` has everything but its tools.
fault sampling_session_state::prepare(msg::sample_request& asked, question& q) {
  auto& r = q.request;
  r.stream = asked.stream;
  r.system = asked.has_system ? std::move(asked.system) : run_.sampling.system_prompt;
  for (auto& m : asked.messages) // some providers know no such message, and it is a system prompt whatever it is called
    if (m.role == msg::chat_role::system)
      r.system = asked.has_system || !r.system.empty() ? r.system + "\n" + m.text : std::move(m.text);
  std::erase_if(asked.messages, [](auto& m) { return m.role == msg::chat_role::system; });
  r.messages = std::move(asked.messages);
  if (auto why = sampling::check_system_prompt(r.system, options_.rules.system_prompts); why.code != errc::none)
    return why;
  q.route = route_;
  q.named = std::move(asked.model);
  if (auto why = choose_model(q); why.code != errc::none)
    return why;
  r.max_tokens = asked.max_tokens == 0 ? options_.rules.answer_tokens : asked.max_tokens;
  q.how = asked.max_tokens == 0 ? sampling::budget::wish::at_most : sampling::budget::wish::exact;
  if (!asked.tools.empty() && !route_->takes_tools)
    return {errc::invalid_argument, "llm: the client's model takes no tools (it did not declare 'sampling.tools')"};
  return {};
}

caf::result<document_outcome> sampling_session_state::ask(msg::sample_request& asked) {
  if (open_.size() >= questions_max)
    return document_outcome{
      fault{errc::overloaded, "llm: this run has " + std::to_string(questions_max)
                                + " questions open, which is the limit; await some first, and leave streams that you need no more"}};
  auto q = std::make_shared<question>();
  auto why = prepare(asked, *q);
  q->prompt_bytes = bytes_of(q->request);
  if (why.code == errc::none && !is_room_for(q->prompt_bytes))
    why = {errc::overloaded, "llm: the open questions of this run have " + std::to_string(prompts_held_max >> 20)
                               + " MiB of text, which is the limit; await some first, and leave streams that you need no more"};
  if (why.code != errc::none) {
    record_refusal(q->request.model, why);
    return document_outcome{std::move(why)};
  }
  auto number = ++last_number_;
  open_.emplace(number, q);
  auto start = [this, number, patterns = std::move(asked.tools)] {
    if (patterns.empty())
      take_round(number);
    else
      offer_tools(number, patterns);
  };
  if (q->request.stream) {
    filter_prompt(number, std::move(start));
    return document_outcome{msg::document{json::object{{"stream", number}}}};
  }
  q->promise = self_->make_response_promise<document_outcome>();
  auto promise = q->promise;
  filter_prompt(number, std::move(start));
  return promise;
}

/// Every step of a question that uses tools is a round of its own.
void sampling_session_state::take_round(uint64_t number) {
  auto q = find(number);
  if (!q)
    return;
  if (silence_.code != errc::none)
    return fail(number, silence_);
  if (q->route != route_) { // the other one has other models
    q->route = route_;
    if (auto why = choose_model(*q); why.code != errc::none)
      return fail(number, std::move(why));
  }
  auto claim = budget_->take(sampling::estimated_input(q->request), q->request.max_tokens, q->how);
  if (claim.what == sampling::budget::verdict::refused) {
    record_refusal(q->request.model, claim.error);
    return fail(number, std::move(claim.error));
  }
  if (claim.what == sampling::budget::verdict::later) {
    waiting_.push_back(number);
    return;
  }
  q->reserved = claim.tokens;
  q->request.max_tokens = claim.max_tokens;
  send(number);
}

void sampling_session_state::send(uint64_t number) {
  auto q = find(number);
  q->begun = self_->clock().now();
  q->streamed.clear();
  q->received.clear();
  if (q->request.stream)
    q->filter = std::make_unique<content_filter::stream_filter>(options_.rules.filter);
  auto me = caf::actor_cast<msg::sampling_session_actor>(self_);
  model_listener listener;
  listener.text = [me, number](std::string text) { caf::anon_send(me, msg::received_atom::value, number, std::move(text)); };
  listener.end = [me, number](answer_outcome answer) { caf::anon_send(me, msg::reply_atom::value, number, std::move(answer)); };
  q->give_up = q->route->ask(q->request, std::move(listener));
}

/// In their order; the first that still has to wait lets the others wait as well.
void sampling_session_state::take_waiting() {
  auto again = std::exchange(waiting_, {});
  while (!again.empty() && waiting_.empty()) {
    take_round(again.front());
    again.pop_front();
  }
  waiting_.insert(waiting_.end(), again.begin(), again.end());
}

void sampling_session_state::answered(uint64_t number, answer_outcome& answer) {
  auto q = find(number);
  if (!q || !q->give_up) // given up before it came
    return;
  q->give_up = nullptr;
  if (answer.ok()) {
    answer.value.usage = sampling::usage_of(q->request, answer.value);
    if (answer.value.model.empty())
      answer.value.model = q->request.model;
  }
  if (answer.ok()) {
    auto rest = q->filter ? q->filter->finish().text : std::string{};
    auto whole = content_filter::filter_content(answer.value.text, options_.rules.filter);
    q->text += rest;
    q->streamed += rest;
    if (whole.ok())
      answer.value.text = std::move(whole.text);
    else
      answer.error = {errc::not_allowed, content_filter::refusal(*whole.blocked)}; // the answer was used all the same
  }
  if (answer.ok() && q->tools.empty() && !answer.value.uses.empty() && answer.value.text.empty())
    answer.error = {errc::model_failed, "the model has answered with no text: it wants the tool '"
                                          + text::quoted(answer.value.uses.front().name, tool_name_bytes_max)
                                          + "' to be called, and was offered none"};
  account(*q, answer);
  if (answer.error.code == errc::call_timeout)
    return client_was_silent(number, std::move(answer.error));
  if (!answer.ok())
    return fail(number, std::move(answer.error));
  if (answer.value.stop == msg::stop_reason::tool_use && !answer.value.uses.empty() && !q->tools.empty())
    call_tools(number, std::move(answer.value));
  else
    deliver(number, answer.value);
  take_waiting();
}

void sampling_session_state::deliver(uint64_t number, const msg::model_answer& answer) {
  auto q = find(number);
  if (q->request.stream) {
    q->is_over = true;
    return give_piece(number);
  }
  open_.erase(number);
  q->promise.deliver(document_outcome{answer_doc(answer)});
}

void sampling_session_state::fail(uint64_t number, fault why) {
  auto q = find(number);
  if (!q->tried.empty())
    why.message = q->tried + ". Then " + q->route->name + " was asked: " + why.message;
  if (q->request.stream) {
    q->is_over = true;
    q->failure = std::move(why);
    give_piece(number);
  } else {
    open_.erase(number);
    q->promise.deliver(document_outcome{std::move(why)});
  }
  take_waiting();
}

// ---- the end --------------------------------------------------------------------------------

void sampling_session_state::end_all(const fault& why) {
  waiting_.clear();
  for (auto& [number, q] : std::exchange(open_, {})) {
    if (q->give_up) {
      std::exchange(q->give_up, nullptr)();
      account(*q, why);
    }
    if (q->promise.pending())
      q->promise.deliver(document_outcome{why});
  }
}

msg::sampling_session_actor::behavior_type sampling_session_state::make_behavior(sampling_session_options options, const msg::run_request& run) {
  options_ = std::move(options);
  run_ = run;
  run_.code.clear();
  last_number_ = run_.id * questions_of_run_max; // a program before in the same guest may still name one of its own
  if (options_.rules.provider)
    provider_ = std::make_shared<const model_route>(*options_.rules.provider);
  bool asks_client = run_.client_samples && options_.client;
  route_ = asks_client ? std::make_shared<const model_route>(client_route()) : provider_;
  auto& prompts = options_.rules.system_prompts;
  if (!options_.rules.are_prompts_configured && !run_.sampling.system_prompt.empty())
    prompts.push_back(run_.sampling.system_prompt);
  budget_ = std::make_unique<sampling::budget>(sampling::budget_limits{lowest(options_.rules.limits.rounds, run_.sampling.rounds_max),
                                                                       lowest(options_.rules.limits.tokens, run_.sampling.tokens_max)});
  self_->set_default_handler(caf::drop);
  self_->monitor(options_.execution);
  auto end = [this] {
    end_all({errc::cancelled, "the run has ended"});
    self_->quit();
  };
  self_->set_down_handler([end](caf::down_msg&) { end(); });
  self_->set_exit_handler([end](caf::exit_msg&) { end(); });
  return {
    [this](msg::sample_atom, msg::sample_request& asked) { return ask(asked); },
    [this](msg::next_atom, uint64_t number) { return next(number); },
    [this](msg::cancel_atom, uint64_t number) { leave(number); },
    [this](msg::finish_atom) {
      end_all({errc::cancelled, "the run ended before the answer came"});
      self_->quit();
      return report();
    },
    [this](msg::checked_atom, uint64_t number, fault& why) { prompt_filtered(number, std::move(why)); },
    [this](msg::received_atom, uint64_t number, const std::string& text) { received(number, text); },
    [this](msg::reply_atom, uint64_t number, answer_outcome& answer) { answered(number, answer); },
  };
}

msg::sampling_session_actor::behavior_type sampling_session(msg::sampling_session_actor::stateful_pointer<sampling_session_state> self,
                                                            sampling_session_options options, msg::run_request run) {
  return self->state.make_behavior(std::move(options), run);
}

} // namespace actors
