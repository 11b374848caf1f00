// One question to a provider of models: sent over HTTP, tried again where that helps, answered once.
#pragma once

#include "actors/sampling/body_flow.hpp"
#include "actors/sampling/provider_reading.hpp"
#include "actors/sampling/rules.hpp"
#include "http/client.hpp"
#include "mcp/secret_mask.hpp"
#include "messages/actors.hpp"
#include "sampling/provider.hpp"
#include "sampling/retry.hpp"

#include <caf/actor_clock.hpp>
#include <caf/fwd.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace actors {

struct provider_access {
  sampling::provider who = sampling::provider::anthropic;
  std::string base_url;                      ///< empty: the provider's own
  std::string key;                           ///< empty: none is sent
  std::chrono::milliseconds timeout{30'000}; ///< of one question, all tries together
  sampling::retry_bounds retries{};
};

/// A request that is on its way.
struct sent_request {
  std::function<void()> cancel;
  std::function<void(bool)> hold; ///< true: no more on_data, until false
};

struct provider_request_options {
  provider_access access;
  msg::model_request request;
  sampling::model_listener listener;
  /// As http::client::start.
  std::function<sent_request(http::client_request, http::client_handlers)> send;
  uint64_t jitter_seed = 0; ///< questions that failed together are not to come back together
};

class provider_request_state {
public:
  static inline const char* name = "provider_request";

  explicit provider_request_state(msg::provider_request_actor::pointer self) : self_(self) {}
  provider_request_state(const provider_request_state&) = delete;
  provider_request_state& operator=(const provider_request_state&) = delete;
  ~provider_request_state();
  msg::provider_request_actor::behavior_type make_behavior(provider_request_options options);

private:
  using answer_outcome = msg::outcome<msg::model_answer>;

  void start();
  http::client_handlers handlers();
  void take(const std::string& bytes);
  void ended(msg::provider_reply reply);
  void read_on();
  void was_read(const msg::fault& why);
  void try_ended();
  void answer(answer_outcome outcome);
  std::chrono::milliseconds time_left() const;
  bool has_other_threads() const;

  msg::provider_request_actor::pointer self_;
  provider_request_options options_;
  std::optional<sampling::retry_policy> retries_;
  mcp::masking without_key_;
  caf::actor_clock::time_point deadline_;
  bool has_given_text_ = false; ///< then nothing is tried again
  uint32_t times_asked_ = 0;    ///< tries that have ended, but for those whose question was not read

  // ---- of the try
  uint32_t try_ = 0;
  bool is_asking_ = false;       ///< it is not one of times_asked_ yet
  std::function<void()> cancel_; ///< empty: nothing is on its way
  std::shared_ptr<sampling::body_flow> flow_;
  std::string unread_;                                  ///< what came of a stream
  std::optional<msg::provider_reply> end_;              ///< what comes after that
  std::shared_ptr<sampling::provider_reading> reading_; ///< one piece after the other
  size_t read_bytes_ = 0;                               ///< of the piece that is read
  bool is_read_elsewhere_ = false;
};

msg::provider_request_actor::behavior_type
provider_request(msg::provider_request_actor::stateful_pointer<provider_request_state> self,
                 provider_request_options options);

/// An actor for the question. What it returns gives the question up, and so does its end: a session may die by a
/// mistake.
std::function<void()> ask_provider(caf::actor_system& system, provider_request_options options);

} // namespace actors
