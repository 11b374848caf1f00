#include "actors/sampling_session.hpp"

#include "actors/client_model.hpp"
#include "actors/sampling/prompts.hpp"
#include "messages/limits.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <caf/all.hpp>

#include <chrono>
#include <memory>
#include <utility>

namespace actors {

namespace json = boost::json;
using msg::errc;
using msg::fault;
using std::chrono::milliseconds;

namespace {

/// Reading the lists of servers that have to be started for it.
constexpr std::chrono::seconds tools_timeout{90};

} // namespace

// ---- what a program asks ---------------------------------------------------------------------

caf::result<msg::outcome<msg::document>> sampling_session_state::ask(msg::sample_request& asked) {
  if (auto why = open_->check_count(); why.code != errc::none)
    return document_outcome{std::move(why)};
  auto q = std::make_shared<completion_request>();
  auto why = completion_rules_->prepare(asked, routes_->current(), *q);
  q->prompt_bytes = sampling::prompt_bytes(q->request);
  if (why.code == errc::none)
    why = open_->check_bytes(q->prompt_bytes);
  if (why.code != errc::none) {
    refuse(*q, why);
    return document_outcome{std::move(why)};
  }
  q->patterns = std::move(asked.tools);
  auto number = open_->add(q);
  if (q->request.stream) {
    filter_prompt(number);
    return document_outcome{msg::document{json::object{{"stream", number}}}};
  }
  auto promise = self_->make_response_promise<document_outcome>();
  q->reply = [promise](document_outcome with) mutable { promise.deliver(std::move(with)); };
  filter_prompt(number);
  return promise;
}

caf::result<msg::outcome<msg::document>> sampling_session_state::next(uint64_t number) {
  auto q = open_->find(number);
  if (!q || !q->request.stream)
    return document_outcome{fault{errc::invalid_argument, "llm: there is no such stream, or it has ended"}};
  if (q->reply)
    return document_outcome{fault{errc::invalid_argument, "llm: the next piece of this stream is asked for already"}};
  auto promise = self_->make_response_promise<document_outcome>();
  q->reply = [promise](document_outcome with) mutable { promise.deliver(std::move(with)); };
  give_piece(number);
  return promise;
}

void sampling_session_state::leave(uint64_t number) {
  auto q = open_->find(number);
  if (!q || !q->request.stream)
    return;
  open_->erase(number);
  sampling::reply_to(*q, fault{errc::cancelled, "llm: the program has left this stream"});
  give_up(*q, {errc::cancelled, "the program has left the stream"});
  take_waiting();
}

msg::sampling_report sampling_session_state::finish() {
  end_all({errc::cancelled, "the run ended before the answer came"});
  self_->quit();
  return ledger_->report(routes_->current()->name);
}

// ---- the way of a question to a model --------------------------------------------------------

/// Much text is looked through on another thread; it comes back as prompt_filtered().
void sampling_session_state::filter_prompt(uint64_t number) {
  auto q = open_->find(number);
  auto& policy = options_.rules.filter;
  if (!options_.offload || q->prompt_bytes <= sampling::filtered_at_once_max)
    return prompt_filtered(number, sampling::filter_prompt(q->request.messages, policy));
  q->elsewhere =
    std::make_shared<sampling::prompt_elsewhere>(sampling::prompt_elsewhere{std::move(q->request.messages), {}});
  auto work = [prompt = q->elsewhere, policy] { prompt->problem = sampling::filter_prompt(prompt->messages, policy); };
  auto me = caf::actor_cast<msg::sampling_session_actor>(self_);
  options_.offload(std::move(work), [me, number, prompt = q->elsewhere](fault problem) {
    caf::anon_send(me, msg::checked_atom::value, number,
                   problem.code == errc::none ? prompt->problem : std::move(problem));
  });
}

void sampling_session_state::prompt_filtered(uint64_t number, fault why) {
  auto q = open_->find(number);
  if (!q) // left, while it was looked through
    return;
  if (auto prompt = std::exchange(q->elsewhere, nullptr))
    q->request.messages = std::move(prompt->messages);
  if (why.code != errc::none) {
    refuse(*q, why);
    return fail(number, std::move(why));
  }
  if (q->patterns.empty())
    take_round(number);
  else
    offer_tools(number);
}

void sampling_session_state::offer_tools(uint64_t number) {
  auto patterns = std::exchange(open_->find(number)->patterns, {});
  self_->request(options_.execution, tools_timeout, msg::tools_atom::value, std::move(patterns))
    .then(
      [this, number](msg::outcome<msg::tool_list>& tools) {
        auto q = open_->find(number);
        if (!q)
          return;
        auto why = tools.ok() ? q->tools.offer(tools.value, run_, q->request) : std::move(tools.error);
        if (why.code != errc::none)
          return fail(number, std::move(why));
        take_round(number);
      },
      [this, number](caf::error&) {
        if (open_->find(number))
          fail(number, {errc::internal, "llm: the tools could not be found"});
      });
}

/// Every step of a question that uses tools is a round of its own.
void sampling_session_state::take_round(uint64_t number) {
  auto q = open_->find(number);
  if (!q)
    return;
  if (routes_->silence().code != errc::none)
    return fail(number, routes_->silence());
  if (q->route != routes_->current()) { // the other one has other models
    q->route = routes_->current();
    if (auto why = completion_rules_->choose_model(*q); why.code != errc::none)
      return fail(number, std::move(why));
  }
  using verdict = sampling::budget::verdict;
  auto claim = ledger_->take(*q);
  switch (claim.what) {
    case verdict::taken: return send(number, *q);
    case verdict::later: return open_->wait(number);
    case verdict::refused: break;
  }
  refuse(*q, claim.error);
  fail(number, std::move(claim.error));
}

void sampling_session_state::send(uint64_t number, completion_request& q) {
  q.begun = self_->clock().now();
  q.usage = {};
  q.times_asked = 1;
  if (q.request.stream)
    q.stream.begin_round(options_.rules.filter, std::make_shared<sampling::answer_place>(room_), q.request.max_tokens);
  q.place = std::make_shared<sampling::answer_place>(room_);
  auto me = caf::actor_cast<msg::sampling_session_actor>(self_);
  sampling::model_listener listener;
  listener.text = [me, number](std::string_view text) {
    for (auto piece : sampling::pieces_of(text)) // pings of others are answered between them
      caf::anon_send(me, msg::received_atom::value, number, std::string{piece});
  };
  listener.end = [me, number](answer_outcome answer) {
    caf::anon_send(me, msg::reply_atom::value, number, std::move(answer));
  };
  listener.place = q.place;
  listener.asked = [me, number](uint32_t times) { caf::anon_send(me, msg::sample_atom::value, number, times); };
  q.give_up = q.route->ask(q.request, std::move(listener));
}

// ---- and back --------------------------------------------------------------------------------

void sampling_session_state::received(uint64_t number, const std::string& text) {
  auto q = open_->find(number);
  if (!q || !q->request.stream || q->stream.is_over())
    return;
  if (auto why = q->stream.feed(text); why.code != errc::none) {
    give_up(*q, why);
    return fail(number, std::move(why));
  }
  give_piece(number);
}

void sampling_session_state::answered(uint64_t number, answer_outcome& answer) {
  auto q = open_->find(number);
  if (!q || !q->give_up) // given up before it came
    return;
  q->answer = std::make_shared<answer_outcome>(std::move(answer));
  sampling::complete(*q->answer, *q);
  q->usage = q->answer->value.usage;
  auto& policy = options_.rules.filter;
  if (!options_.offload || q->answer->value.text.size() <= sampling::filtered_at_once_max) {
    sampling::filter_answer(*q->answer, policy);
    return looked_through(number, {});
  }
  q->give_up = [] {}; // the round is not settled yet, but there is nothing to be asked any more
  auto me = caf::actor_cast<msg::sampling_session_actor>(self_);
  options_.offload([whole = q->answer, policy] { sampling::filter_answer(*whole, policy); },
                   [me, number](fault problem) {
                     caf::anon_send(me, msg::checked_atom::value, msg::reply_atom::value, number, std::move(problem));
                   });
}

/// The answer is without what the content policy keeps from programs, or `why` it could not be looked through.
void sampling_session_state::looked_through(uint64_t number, const fault& why) {
  auto q = open_->find(number);
  if (!q || !q->answer) // left meanwhile
    return;
  auto answer = std::move(*std::exchange(q->answer, nullptr));
  q->give_up = nullptr;
  if (why.code != errc::none)
    answer.error = why;
  settle(*q, answer);
  if (answer.error.code == errc::call_timeout)
    return client_was_silent(number, std::move(answer.error));
  if (!answer.ok())
    return fail(number, std::move(answer.error));
  if (q->tools.are_wanted(answer.value))
    call_tools(number, std::move(answer.value));
  else
    deliver(number, answer.value);
  take_waiting();
}

void sampling_session_state::call_tools(uint64_t number, msg::model_answer answer) {
  auto q = open_->find(number);
  auto uses = answer.uses;
  if (auto why = q->tools.begin(std::move(answer), options_.rules.tool_steps, q->request); why.code != errc::none)
    return fail(number, std::move(why));
  for (size_t place = 0; place < uses.size(); ++place) {
    auto* tool = q->tools.find(uses[place].name);
    if (!tool) {
      tool_answered(number, place, fault{errc::unknown_tool, "there is no tool '" + uses[place].name + "'"});
      continue;
    }
    // The run has a time, and answers at its end: what a person is asked in the call takes none of it.
    self_->request(options_.execution, caf::infinite, msg::call_atom::value, *tool, uses[place].input)
      .then([this, number, place](document_outcome& result) { tool_answered(number, place, result); },
            [this, number, place](caf::error&) {
              tool_answered(number, place, fault{errc::internal, "the call was not answered"});
            });
  }
}

void sampling_session_state::tool_answered(uint64_t number, size_t place, const document_outcome& result) {
  auto q = open_->find(number);
  if (!q || !q->tools.answered(place, result, q->request))
    return;
  q->prompt_bytes = sampling::prompt_bytes(q->request);
  filter_prompt(number);
}

void sampling_session_state::deliver(uint64_t number, const msg::model_answer& answer) {
  auto q = open_->find(number);
  if (q->request.stream) {
    q->stream.end();
    return give_piece(number);
  }
  open_->erase(number);
  sampling::reply_to(*q, sampling::answer_doc(answer));
}

/// To the program that waits for it: all text that is there, or the end.
void sampling_session_state::give_piece(uint64_t number) {
  auto q = open_->find(number);
  if (!q->reply)
    return;
  auto piece = q->stream.take();
  if (!piece)
    return;
  if (piece->is_last)
    open_->erase(number);
  sampling::reply_to(*q, std::move(piece->what));
}

void sampling_session_state::fail(uint64_t number, fault why) {
  auto q = open_->find(number);
  why = sampling::with_who_was_tried(*q, std::move(why));
  if (q->request.stream) {
    q->stream.end(std::move(why));
    give_piece(number);
  } else {
    open_->erase(number);
    sampling::reply_to(*q, std::move(why));
  }
  take_waiting();
}

void sampling_session_state::take_waiting() {
  open_->try_again([this](uint64_t number) { take_round(number); });
}

/// This question, as a round of its own, and all that come are for the provider. Without one they fail at once.
void sampling_session_state::client_was_silent(uint64_t number, fault why) {
  if (routes_->leave_client(why)) {
    open_->find(number)->tried = std::move(why.message);
    take_round(number);
  } else {
    fail(number, routes_->silence());
  }
  take_waiting();
}

// ---- the end of a round, and of all ----------------------------------------------------------

/// Nothing happens if no model is being asked.
void sampling_session_state::give_up(completion_request& q, const fault& why) {
  if (!q.give_up)
    return;
  std::exchange(q.give_up, nullptr)();
  answer_outcome left{why};
  left.value.usage = q.usage;
  left.value.times_asked = q.times_asked;
  settle(q, left);
}

void sampling_session_state::settle(const completion_request& q, const answer_outcome& answer) {
  q.place->leave();
  auto duration = std::chrono::duration_cast<std::chrono::microseconds>(self_->clock().now() - q.begun);
  auto& call = ledger_->settle(q, answer, duration);
  if (options_.audit)
    self_->send(options_.audit, msg::audit_atom::value, record_->round(q, call, answer));
}

/// What the rules did not permit.
void sampling_session_state::refuse(const completion_request& q, const fault& why) {
  if (!options_.audit)
    return;
  if (auto event = record_->refusal(routes_->current()->name, q.request.model, why))
    self_->send(options_.audit, msg::audit_atom::value, std::move(*event));
}

void sampling_session_state::end_all(const fault& why) {
  for (auto& q : open_->take_all()) {
    give_up(*q, why);
    sampling::reply_to(*q, why);
  }
}

msg::sampling_session_actor::behavior_type sampling_session_state::make_behavior(sampling_session_options options,
                                                                                 const msg::run_request& run) {
  options_ = std::move(options);
  run_ = run.id;
  auto& rules = options_.rules;
  completion_rules_.emplace(rules, run.sampling);
  bool has_client = run.abilities.samples && options_.client;
  client_model by_us{self_, options_.client, options_.run_ends, routes_};
  routes_.emplace(rules, has_client ? client_route(by_us, rules, run) : nullptr);
  open_.emplace(run.id);
  ledger_.emplace(sampling::limits_of(rules, run.sampling), run.sampling);
  record_.emplace(run);
  auto tell = [execution = options_.execution](uint64_t bytes) {
    caf::anon_send(execution, msg::hold_atom::value, bytes);
  };
  room_ = std::make_shared<sampling::answer_room>(options_.offload, std::move(tell));
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
    [this](msg::finish_atom) { return finish(); },
    [this](msg::checked_atom, uint64_t number, fault& why) { prompt_filtered(number, std::move(why)); },
    [this](msg::checked_atom, msg::reply_atom, uint64_t number, const fault& why) { looked_through(number, why); },
    [this](msg::received_atom, uint64_t number, const std::string& text) { received(number, text); },
    [this](msg::sample_atom, uint64_t number, uint32_t times) {
      if (auto q = open_->find(number))
        q->times_asked = times;
    },
    [this](msg::reply_atom, uint64_t number, answer_outcome& answer) { answered(number, answer); },
  };
}

msg::sampling_session_actor::behavior_type
sampling_session(msg::sampling_session_actor::stateful_pointer<sampling_session_state> self,
                 sampling_session_options options, msg::run_request run) {
  return self->state.make_behavior(std::move(options), run);
}

} // namespace actors
