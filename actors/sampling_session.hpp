// What the program of one run asks of models: checked, filtered, counted, sent on its route, answered once.
#pragma once

#include "actors/background.hpp"
#include "content_filter/filter.hpp"
#include "content_filter/stream_filter.hpp"
#include "messages/actors.hpp"
#include "messages/limits.hpp"
#include "sampling/budget.hpp"

#include <caf/actor_clock.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace actors {

/// Hears of one question, on the main thread and never from within the call that asks.
struct model_listener {
  std::function<void(std::string)> text; ///< new text of the answer; only if the request streams
  /// Once, and nothing after it. Beside a fault, the answer is what came before it; not `was_asked`: the question never left.
  std::function<void(msg::outcome<msg::model_answer>)> end;
};

/// Who answers.
struct model_route {
  std::string name;                ///< "client", or the provider's
  std::string model;               ///< of questions that name none; empty: the route chooses
  std::vector<std::string> models; ///< that may be named
  std::string models_setting;      ///< where that list comes from
  bool takes_tools = true;
  /// Asks; what it returns gives the question up, and is not called after the end.
  std::function<std::function<void()>(msg::model_request, model_listener)> ask;
};

/// Of all runs; from the settings.
struct sampling_rules {
  bool enabled = false;     ///< for runs that do not say
  bool may_be_asked = true; ///< false: not even for runs that want it
  sampling::budget_limits limits;
  uint32_t answer_tokens = 1'000;                   ///< of questions that do not say
  std::chrono::milliseconds client_timeout{30'000}; ///< of one question to the client's model
  std::vector<std::string> system_prompts;
  bool are_prompts_configured = false; ///< then the run's own prompt has to be one of them
  content_filter::content_policy filter;
  uint32_t tool_steps = 8; ///< questions of one llm.think, at most
  std::vector<std::string> client_models;
  std::string client_models_setting;
  std::optional<model_route> provider; ///< none is configured
  std::string no_provider;             ///< what to do about it
};

struct sampling_session_options {
  sampling_rules rules;
  msg::execution_actor execution; ///< makes the calls of tools that a model wants
  msg::run_listener client;       ///< null: it has no model
  msg::audit_log_actor audit;     ///< null: nothing is recorded
  caf::actor_clock::time_point run_ends = caf::actor_clock::time_point::max();
  background_work offload{}; ///< looking through what is large
};

/// Texts of all open questions of one run: each is held up to three times, as question, as request, and as what is sent.
inline constexpr size_t prompts_held_max = 32u << 20;

class sampling_session_state {
public:
  static inline const char* name = "sampling_session";

  explicit sampling_session_state(msg::sampling_session_actor::pointer self) : self_(self) {}
  msg::sampling_session_actor::behavior_type make_behavior(sampling_session_options options, const msg::run_request& run);

private:
  using route_ptr = std::shared_ptr<const model_route>;
  using document_promise = caf::typed_response_promise<msg::outcome<msg::document>>;
  /// Of which the content policy takes out what it does not give to models.
  struct looked_through {
    std::vector<msg::chat_message> messages;
    msg::fault problem;
  };
  /// One llm.ask or llm.think: several rounds, if its model wants tools.
  struct question {
    msg::model_request request;
    route_ptr route;   ///< whose model is in the request
    std::string named; ///< the model that the program wants; empty: none in particular
    std::string tried; ///< who did not answer before `route`, in words; empty: nobody was asked before
    sampling::budget::wish how = sampling::budget::wish::at_most;
    document_promise promise;                              ///< of the whole answer, or of a stream that waits for its next piece
    std::unique_ptr<content_filter::stream_filter> filter; ///< of the round that is streamed
    std::string text;                                      ///< that came and is not taken yet
    std::string streamed;                                  ///< of this round, as it was given
    std::string received;                                  ///< of this round, as it came: that is what was used
    bool is_over = false;                                  ///< a stream that still has text, or an error, to give
    msg::fault failure;                                    ///< of such a stream
    uint32_t reserved = 0;                                 ///< tokens of the round
    caf::actor_clock::time_point begun;
    std::function<void()> give_up;              ///< empty: nobody is being asked
    std::map<std::string, msg::tool_ref> tools; ///< by the name that was offered
    uint32_t steps = 0;
    size_t outstanding = 0; ///< calls of tools
    size_t prompt_bytes = 0;
    std::shared_ptr<looked_through> prompt; ///< its messages, while another thread has them
    std::function<void()> then;             ///< what follows that
  };
  using question_ptr = std::shared_ptr<question>;

  // ---- questions
  caf::result<msg::outcome<msg::document>> ask(msg::sample_request& asked);
  msg::fault choose_model(question& q) const;
  msg::fault prepare(msg::sample_request& asked, question& q);
  void take_round(uint64_t number);
  void send(uint64_t number);
  void take_waiting();
  void received(uint64_t number, const std::string& text);
  void answered(uint64_t number, msg::outcome<msg::model_answer>& answer);
  void deliver(uint64_t number, const msg::model_answer& answer);
  void fail(uint64_t number, msg::fault why);
  question_ptr find(uint64_t number) const;

  // ---- what goes into a prompt
  static size_t bytes_of(const msg::model_request& request);
  bool is_room_for(size_t prompt_bytes) const;
  void filter_prompt(uint64_t number, std::function<void()> then);
  void prompt_filtered(uint64_t number, msg::fault why);

  // ---- streams
  caf::result<msg::outcome<msg::document>> next(uint64_t number);
  void give_piece(uint64_t number);
  void leave(uint64_t number);

  // ---- tools
  void offer_tools(uint64_t number, std::vector<std::string> patterns);
  void call_tools(uint64_t number, msg::model_answer answer);
  void tool_answered(uint64_t number, size_t place, const msg::outcome<msg::document>& result);

  // ---- the end, and what is told
  void account(const question& q, const msg::outcome<msg::model_answer>& answer);
  static msg::token_usage used_by(const question& q, const msg::outcome<msg::model_answer>& answer);
  void record(const question& q, const msg::sampling_call& call, const msg::outcome<msg::model_answer>& answer) const;
  void record_refusal(const std::string& model, const msg::fault& why);
  msg::sampling_report report() const;
  void end_all(const msg::fault& why);

  // ---- the client's model
  model_route client_route();
  std::chrono::milliseconds client_patience() const;
  msg::fault client_silence(std::chrono::milliseconds waited) const;
  void client_was_silent(uint64_t number, msg::fault why);

  msg::sampling_session_actor::pointer self_;
  sampling_session_options options_;
  msg::run_request run_; ///< without its code
  route_ptr provider_;   ///< null: none is configured
  route_ptr route_;      ///< of what is asked from now on
  msg::fault silence_;   ///< errc::none: there is somebody to ask
  std::unique_ptr<sampling::budget> budget_;
  std::map<uint64_t, question_ptr> open_;
  uint64_t last_number_ = 0;
  std::deque<uint64_t> waiting_; ///< for tokens that others have reserved
  msg::sampling_report used_;
  uint32_t refusals_ = 0; ///< told to the record
};

/// `run` is what the client asked for.
msg::sampling_session_actor::behavior_type sampling_session(msg::sampling_session_actor::stateful_pointer<sampling_session_state> self,
                                                            sampling_session_options options, msg::run_request run);

/// errc::none: that run may ask, and somebody can answer.
msg::fault may_sample(const sampling_rules& rules, const msg::run_request& run);

} // namespace actors
