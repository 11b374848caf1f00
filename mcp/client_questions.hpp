// What is asked of a client in the middle of its calls, the way that its era has: requests of ours, or answers that
// ask.
#pragma once

#include "mcp/client_requests.hpp"
#include "mcp/parked_requests.hpp"
#include "mcp/replies.hpp"
#include "mcp/requests_in_flight.hpp"

#include <boost/json/object.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace mcp {

/// What a server asks in the middle of one call within this is asked together: servers ask several things in one go.
/// The client waits as long.
inline constexpr std::chrono::microseconds asked_together{750};
/// After a second question the next one is waited for as long: a server that asks several things may not have the
/// processor in between. So often at most.
inline constexpr std::chrono::microseconds asked_after_another{5'000};
inline constexpr unsigned waits_for_more_max = 8;

class client_questions {
public:
  using answered = client_requests::answered;

  struct surroundings {
    std::function<void(outgoing)> send;
    std::function<void(request_number)> cancelled; ///< the client of that call has not come back
    /// Empty, like the next one: nothing is asked of clients without requests to them.
    std::function<std::chrono::steady_clock::time_point()> now;
    std::function<void(std::chrono::milliseconds)> look_again; ///< then end_parked() is to be called
    std::function<boost::json::object()> server_info;
    /// park_asked() is to be called then: more may be asked in the middle of the same call until then. Empty: calls are
    /// parked at once.
    std::function<void(std::chrono::microseconds)> park_soon = {};
    std::chrono::milliseconds parked_wait = parked_request_max; ///< for answers to what a parked call has asked
  };

  /// Both outlive it.
  client_questions(surroundings around, requests_in_flight& in_flight, replies& answers);
  client_questions(const client_questions&) = delete;
  client_questions& operator=(const client_questions&) = delete;

  /// See server_protocol.
  uint64_t ask(request_number during, std::string_view method, const msg::document& params, answered done);
  void withdraw(uint64_t question, std::string_view reason);
  /// Calls that were to be parked soon, unless they are over, or nothing is asked any more, or more is asked still.
  void park_asked();
  /// A notification on what has been asked in the middle of that call. Not sent to a client without a handshake, or
  /// when the call is over.
  void tell(request_number during, std::string_view method, const boost::json::object& params);
  void end_parked();
  size_t count() const { return requests_.open_count() + parked_.question_count(); }
  /// Those of clients with a handshake.
  client_requests& requests() { return requests_; }

  /// A call with `requestState` or `inputResponses`; `call` is not looked at unless there is a parked one. It is in
  /// flight again under the number that it had, or refused, or asked more at once.
  struct returned {
    request_number number = 0;         ///< 0: it is answered
    std::optional<kept_answer> answer; ///< it was over; this is to be said
  };
  returned come_back(const incoming_request& request, const call_digest& call);
  /// Of a call that is not in flight. False: nobody will come for it.
  bool keep(request_number number, kept_answer answer) { return parked_.keep(number, std::move(answer)); }
  /// The request, which is over, if it was in flight.
  std::optional<request_in_flight> take(request_number number);
  /// Of a call that is parked; null: it is not.
  const requester* asker(request_number number) const { return parked_.asker(number); }

private:
  struct asking_call {
    unsigned asked = 0; ///< since it was looked at
    unsigned looks = 0;
    bool asks_on() const { return asked > (looks == 0 ? 1u : 0u) && looks < waits_for_more_max; }
  };

  void park(request_number number);
  void plan_look();

  surroundings around_;
  requests_in_flight& in_flight_;
  replies& replies_;
  client_requests requests_;
  parked_requests parked_;
  std::map<request_number, asking_call> to_park_;   ///< soon
  std::optional<parked_requests::time_point> look_; ///< that is planned
};

} // namespace mcp
