// One question to a provider of models: sent over HTTP, tried again where that helps, answered once.
#pragma once

#include "actors/background.hpp"
#include "actors/sampling/rules.hpp"
#include "http/client.hpp"
#include "mcp/secret_mask.hpp"
#include "messages/actors.hpp"
#include "sampling/provider.hpp"
#include "sampling/retry.hpp"
#include "sampling/stream_reader.hpp"

#include <caf/actor_clock.hpp>
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

struct provider_request_options {
  provider_access access;
  msg::model_request request;
  sampling::model_listener listener;
  /// As http::client::start; what it returns cancels the request.
  std::function<std::function<void()>(http::client_request, http::client_handlers)> send;
  uint64_t jitter_seed = 0;  ///< questions that failed together are not to come back together
  background_work offload{}; ///< reading of what is large
};

/// How a try has ended, and all that is needed to make an answer of it: another thread may do that.
struct provider_reading {
  provider_access access;
  bool is_stream = false;
  msg::provider_reply reply;
  sampling::stream_reader stream;
  std::string error_body; ///< of a stream that was none
  mcp::secret_mask without_key;
  msg::outcome<msg::model_answer> outcome{}; ///< what read() made of it

  void read();
  size_t bytes() const { return reply.body.size() + error_body.size() + stream.unread_bytes(); }
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
  void take(uint16_t status, const std::string& bytes);
  void ended(msg::provider_reply reply);
  void was_read(const msg::fault& why);
  void answer(answer_outcome outcome);
  std::chrono::milliseconds time_left() const;

  msg::provider_request_actor::pointer self_;
  provider_request_options options_;
  std::optional<sampling::retry_policy> retries_;
  mcp::secret_mask without_key_{{}};
  caf::actor_clock::time_point deadline_;
  std::function<void()> cancel_; ///< empty: nothing is on its way
  uint32_t try_ = 0;
  std::optional<sampling::stream_reader> reader_;
  std::string error_body_;
  std::shared_ptr<provider_reading> reading_; ///< of the try that has ended
  bool has_given_text_ = false;               ///< then nothing is tried again
};

msg::provider_request_actor::behavior_type
provider_request(msg::provider_request_actor::stateful_pointer<provider_request_state> self,
                 provider_request_options options);

} // namespace actors
