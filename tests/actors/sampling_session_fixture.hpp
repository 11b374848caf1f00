// A sampling session whose route, execution and client are fakes.
#pragma once

#include "actors/sampling_session.hpp"
#include "tests/actors/deterministic.hpp"
#include "tests/actors/fake_record.hpp"
#include "tests/actors/unexpected.hpp"
#include "tests/unit/support/values.hpp"

#include <boost/json.hpp>

namespace sampling_fakes {

using namespace std::literals;
using namespace testing_support;
namespace json = boost::json;
using msg::errc;
using answer = msg::outcome<msg::document>;
using model_outcome = msg::outcome<msg::model_answer>;

/// A question that the route was asked.
struct asked {
  msg::model_request request;
  sampling::model_listener listener;
  std::shared_ptr<bool> given_up = std::make_shared<bool>(false);
};

struct tool_calls {
  std::vector<std::pair<msg::tool_ref, msg::document>> calls;
  std::vector<std::string> patterns;
  msg::tool_list tools;
  answer result = msg::document{json::object{{"rows", 3}}};
  std::vector<uint64_t> held; ///< as it was told
};

inline msg::execution_actor::behavior_type fake_execution(msg::execution_actor::pointer,
                                                          std::shared_ptr<tool_calls> t) {
  return {
    [](msg::run_atom, const msg::run_request&, const msg::run_listener&) {
      return unexpected("run", msg::run_report{});
    },
    [](msg::cancel_atom) { unexpected("cancel"); },
    [](msg::stop_atom) { unexpected("stop"); },
    [t](msg::hold_atom, uint64_t bytes) { t->held.push_back(bytes); },
    [](msg::nearly_over_atom) { unexpected("nearly_over"); },
    [](msg::deadline_atom) { unexpected("deadline"); },
    [](msg::tick_atom) { unexpected("tick"); },
    [t](msg::call_atom, const msg::tool_ref& ref, const msg::document& arguments) {
      t->calls.emplace_back(ref, arguments);
      return t->result;
    },
    [t](msg::tools_atom, const std::vector<std::string>& patterns) {
      t->patterns = patterns;
      return msg::outcome<msg::tool_list>{t->tools};
    },
    [](msg::reply_atom, uint64_t, const answer&) { unexpected("reply"); },
    [](msg::frame_atom, const msg::document&) { return unexpected("frame", true); },
    [](msg::exit_atom, const msg::guest_exit&) { unexpected("exit"); },
    [](msg::progress_atom, const msg::tool_progress&) { unexpected("progress"); },
    [](msg::injected_atom, const msg::injected_fault&) { unexpected("a fault"); },
    [](msg::log_atom, const msg::server_log&) { unexpected("log"); },
    [](msg::meant_atom, msg::call_key, const msg::tool_info&) { unexpected("meant"); },
    [](msg::question_atom, const msg::server_question&) {
      return unexpected("question", msg::outcome<msg::document>{});
    },
    [](msg::question_atom, msg::call_key, uint64_t) { unexpected("question"); },
  };
}

struct client_world {
  std::vector<msg::model_request> requests;
  std::vector<msg::call_key> cancelled;
  std::vector<caf::typed_response_promise<model_outcome>> promises;
  model_outcome answer; ///< see below
};

inline msg::run_listener::behavior_type fake_client(msg::run_listener::pointer self, std::shared_ptr<client_world> w) {
  return {
    [w](msg::progress_atom, const msg::run_progress&) { // the test's word for: answer
      for (auto& promise : std::exchange(w->promises, {}))
        promise.deliver(w->answer);
    },
    [](msg::log_atom, const msg::server_log&) { unexpected("log"); },
    [self, w](msg::sample_atom, msg::call_key, const msg::model_request& request) -> caf::result<model_outcome> {
      w->requests.push_back(request);
      w->promises.push_back(self->make_response_promise<model_outcome>());
      return w->promises.back();
    },
    [w](msg::cancel_atom, msg::call_key key) { w->cancelled.push_back(key); },
    [](msg::question_atom, msg::call_key, const msg::server_question&) {
      return unexpected("question", msg::outcome<msg::document>{});
    },
    [](msg::question_atom, msg::cancel_atom, msg::call_key) { unexpected("question"); },
    [](msg::question_atom, msg::finish_atom, msg::call_key, bool) { unexpected("question"); },
  };
}

inline msg::model_answer says(std::string text, uint32_t input = 10, uint32_t output = 5) {
  msg::model_answer a;
  a.text = std::move(text);
  a.usage = {input, output, false};
  a.model = "m";
  return a;
}

struct sampling_session_test : deterministic {
  std::shared_ptr<tool_calls> tools = std::make_shared<tool_calls>();
  std::shared_ptr<client_world> client = std::make_shared<client_world>();
  std::shared_ptr<std::deque<asked>> route = std::make_shared<std::deque<asked>>();
  heard_events events = std::make_shared<std::vector<msg::audit_event>>();
  sampling::rules rules;
  msg::run_request run;
  msg::execution_actor execution = sys.spawn(fake_execution, tools);
  msg::run_listener listener = sys.spawn(fake_client, client);
  msg::audit_log_actor record = sys.spawn(fake_record, events);
  msg::sampling_session_actor session;
  std::optional<std::chrono::milliseconds> run_time;
  actors::background_work offload; ///< empty: everything is done at once

  sampling_session_test() {
    run.id = 7;
    rules.enabled = true;
    rules.system_prompts = {"", "You are a helpful assistant"};
    rules.limits = {10, 10'000};
    sampling::model_route r;
    r.name = "anthropic";
    r.model = "m";
    r.models = {"m", "n"};
    r.models_setting = "sampling.allowedModels.anthropic";
    r.ask = [to = route](msg::model_request request, sampling::model_listener l) {
      to->push_back({std::move(request), std::move(l)});
      return [flag = to->back().given_up] { *flag = true; };
    };
    rules.provider = r;
  }
  ~sampling_session_test() override {
    route->clear(); // listeners know the session
    for (caf::actor a : {caf::actor_cast<caf::actor>(execution), caf::actor_cast<caf::actor>(listener),
                         caf::actor_cast<caf::actor>(record)})
      self->send_exit(a, caf::exit_reason::user_shutdown);
    if (session)
      self->send_exit(session, caf::exit_reason::user_shutdown);
    execution = nullptr;
    listener = nullptr;
    record = nullptr;
    session = nullptr;
    client->promises.clear();
    settle();
  }
  void begin() {
    actors::sampling_session_options o{rules, execution, listener, record};
    if (run_time)
      o.run_ends = [end = sched.clock().now() + *run_time] { return end; };
    o.offload = offload;
    session = sys.spawn(actors::sampling_session, std::move(o), run);
  }
  static msg::sample_request question(std::string prompt) {
    msg::sample_request r;
    r.messages.push_back({msg::chat_role::user, std::move(prompt), {}, {}});
    return r;
  }
  pending<answer> ask_for(msg::sample_request r) {
    if (!session)
      begin();
    auto p = send<answer>(session, msg::sample_atom::value, std::move(r));
    settle();
    return p;
  }
  pending<answer> next(uint64_t stream = 7'000'001) {
    auto p = send<answer>(session, msg::next_atom::value, stream);
    settle();
    return p;
  }
  void end(size_t which, model_outcome with) {
    (*route)[which].listener.end(std::move(with));
    settle();
  }
  void text(size_t which, std::string piece) {
    (*route)[which].listener.text(std::move(piece));
    settle();
  }
  msg::sampling_report finish() {
    auto r = ask<msg::sampling_report>(session, msg::finish_atom::value);
    session = nullptr;
    return r;
  }
  static std::string text_of(const pending<answer>& p) {
    return std::string{p.get().value.value().at("text").as_string()};
  }
};

} // namespace sampling_fakes
