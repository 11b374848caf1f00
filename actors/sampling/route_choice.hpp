// Who answers the questions of one run: the client's own model if it has one, and a provider when that says nothing.
#pragma once

#include "actors/sampling/rules.hpp"
#include "messages/errors.hpp"

#include <chrono>
#include <string>

namespace sampling {

class route_choice {
public:
  /// One of them is there, else no model may be asked. `client`: null: it has no model.
  route_choice(const rules& all, route_ptr client);

  /// Of what is asked from now on.
  const route_ptr& current() const { return current_; }
  /// errc::none: there is a model to ask.
  const msg::fault& silence() const { return silence_; }

  /// How long the client may take, at least 1 ms. Shorter than configured when the run ends before: half of what is
  /// left if a provider can be asked in the other half. `left`: of the time of the run.
  std::chrono::milliseconds client_patience(std::chrono::milliseconds left) const;
  /// The client has taken so long: errc::call_timeout.
  msg::fault client_timed_out(std::chrono::milliseconds waited) const;
  /// That fault came of a question: the client is not asked again in this run. True: the provider is from now on. Else
  /// there is only silence().
  bool leave_client(const msg::fault& why);

private:
  route_ptr provider_; ///< null: none is configured
  route_ptr current_;
  std::chrono::milliseconds client_timeout_;
  std::string no_provider_; ///< what to do about it
  msg::fault silence_;
};

} // namespace sampling
