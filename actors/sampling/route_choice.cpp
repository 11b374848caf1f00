#include "actors/sampling/route_choice.hpp"

#include <algorithm>
#include <utility>

namespace sampling {

using msg::errc;
using std::chrono::milliseconds;

namespace {

/// Before the end of a run, so that its program can still make something of the error.
constexpr milliseconds end_margin_max{5'000};

} // namespace

route_choice::route_choice(const rules& all, route_ptr client)
  : client_timeout_(all.client_timeout),
    no_provider_(all.no_provider) {
  if (all.provider)
    provider_ = std::make_shared<const model_route>(*all.provider);
  current_ = client ? std::move(client) : provider_;
}

milliseconds route_choice::client_patience(milliseconds left) const {
  auto mine = provider_ ? left / 2 : left - std::min(left / 5, end_margin_max);
  return std::clamp(mine, milliseconds{1}, client_timeout_);
}

msg::fault route_choice::client_timed_out(milliseconds waited) const {
  auto text = "the client's model did not answer within " + std::to_string(waited.count()) + " ms";
  text += waited == client_timeout_
            ? " (sampling.clientTimeoutMs)"
            : ": the time of this run is too short for the " + std::to_string(client_timeout_.count())
                + " ms of sampling.clientTimeoutMs; give it more (timeoutMs)";
  return {errc::call_timeout, text};
}

bool route_choice::leave_client(const msg::fault& why) {
  if (provider_) {
    current_ = provider_;
    return true;
  }
  if (silence_.code == errc::none)
    silence_ = {errc::model_failed,
                why.message + ". It is not asked again in this run, and nobody else can be: " + no_provider_};
  return false;
}

} // namespace sampling
