// The client's own model, and who is asked instead when it says nothing.
#include "actors/sampling_session.hpp"

#include <caf/all.hpp>

#include <algorithm>
#include <utility>

namespace actors {

using msg::errc;
using msg::fault;
using std::chrono::milliseconds;
using answer_outcome = msg::outcome<msg::model_answer>;

namespace {

/// Before the end of a run, so that its program can still make something of the error.
constexpr milliseconds end_margin_max{5'000};

} // namespace

/// Shorter than configured when the run ends before: half of what is left if a provider can be asked in the other half.
milliseconds sampling_session_state::client_patience() const {
  auto left = std::chrono::duration_cast<milliseconds>(options_.run_ends - self_->clock().now());
  auto mine = provider_ ? left / 2 : left - std::min(left / 5, end_margin_max);
  return std::clamp(mine, milliseconds{1}, options_.rules.client_timeout);
}

fault sampling_session_state::client_silence(milliseconds waited) const {
  auto text = "the client's model did not answer within " + std::to_string(waited.count()) + " ms";
  auto& most = options_.rules.client_timeout;
  text += waited == most ? " (sampling.clientTimeoutMs)"
                         : ": the time of this run is too short for the " + std::to_string(most.count())
                             + " ms of sampling.clientTimeoutMs; give it more (timeoutMs)";
  return {errc::call_timeout, text};
}

/// Its answer comes as one piece: a client can not stream. Its silence is errc::call_timeout.
model_route sampling_session_state::client_route() {
  model_route out;
  out.name = "client";
  out.models = options_.rules.client_models;
  out.models_setting = options_.rules.client_models_setting;
  out.takes_tools = run_.client_samples_with_tools;
  out.ask = [this, asked = uint64_t{0}](msg::model_request request, model_listener listener) mutable {
    msg::call_key key{run_.id, ++asked};
    bool streams = request.stream;
    auto patience = client_patience();
    self_->request(options_.client, patience, msg::sample_atom::value, key, std::move(request))
      .then(
        [listener, streams](answer_outcome& answer) {
          if (streams && answer.ok() && !answer.value.text.empty())
            listener.text(answer.value.text);
          listener.end(std::move(answer));
        },
        [this, listener, key, patience](caf::error&) {
          self_->send(options_.client, msg::cancel_atom::value, key);
          listener.end(client_silence(patience));
        });
    return [this, key] { self_->send(options_.client, msg::cancel_atom::value, key); };
  };
  return out;
}

/// It is not asked again in this run: this question, as a round of its own, and all that come are for the provider. Without one they fail at once.
void sampling_session_state::client_was_silent(uint64_t number, fault why) {
  if (!provider_) {
    if (silence_.code == errc::none)
      silence_ = {errc::model_failed, why.message + ". It is not asked again in this run, and nobody else can be: " + options_.rules.no_provider};
    fail(number, silence_);
    return take_waiting();
  }
  find(number)->tried = std::move(why.message);
  route_ = provider_;
  take_round(number);
  take_waiting();
}

} // namespace actors
