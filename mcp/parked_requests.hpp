// Calls of clients of revision 2026-07-28 in the middle of which something is asked: there are no requests to a client,
// so the call is answered with the questions (`input_required`), and goes on when the client calls again with answers.
// Knows no transport and no clock.
#pragma once

#include "mcp/call_digest.hpp"
#include "mcp/client_requests.hpp"
#include "mcp/envelope.hpp"
#include "mcp/request_state.hpp"
#include "mcp/requests_in_flight.hpp"
#include "mcp/results.hpp"
#include "messages/document.hpp"
#include "messages/errors.hpp"

#include <boost/json/object.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mcp {

/// A client that is waited for may be a person who thinks. Longer, and the run that waits holds its memory for nobody.
/// So long what has come of a call is kept as well that does not wait for its client any more.
inline constexpr std::chrono::minutes parked_request_max{10};
/// Calls of one client whose answers are waited for. Each is a run that goes on, of which a machine has fewer.
inline constexpr size_t parked_requests_max = 100;
/// Of the questions that wait to be asked or answered, together: all of one call are asked in one message.
inline constexpr size_t parked_questions_bytes_max = size_t{32} << 20;
/// Of results of calls whose client is away, together, as memory.
inline constexpr size_t kept_answers_bytes_max = size_t{32} << 20;

/// The answer of a call that has ended while its client was away.
struct kept_answer {
  msg::document result;
  cache_hint hint;
  rpc_refusal refused; ///< is one: there is no result
};

class parked_requests {
public:
  using answered = client_requests::answered;
  using time_point = std::chrono::steady_clock::time_point;

  /// `wait`: for answers; at most parked_request_max.
  explicit parked_requests(std::chrono::milliseconds wait = parked_request_max)
    : wait_(std::min<std::chrono::milliseconds>(wait, parked_request_max)) {}

  /// Something to ask in the middle of a call.
  struct question {
    std::string method;
    msg::document params; ///< null: none
    answered done;
  };

  /// Keeps a question until it is answered, withdrawn, or the call is over. `call`: digest of the tool and its
  /// arguments. Its number, which none of client_requests has; 0: too many calls are parked, or too much is asked, and
  /// `done` is dropped.
  uint64_t ask(request_number during, const std::shared_ptr<const requester>& from, const std::string& call,
               question asked);
  /// The same of a call whose client is away, or comes back just now.
  uint64_t ask_more(request_number during, question asked);
  /// It is not asked again, and `done` is dropped.
  void withdraw(uint64_t number);

  /// The client goes away with all questions of that call, and the members of the result that it gets. None of the
  /// states that it had before is good any more.
  boost::json::object park(request_number number, time_point now);
  /// Which call goes on; or why none does: then nothing has changed.
  struct returning {
    request_number number = 0;
    rpc_refusal refused;
  };
  /// `state`, `responses`: null if absent.
  returning find(const boost::json::value* state, const boost::json::value* responses, const call_digest& call,
                 time_point now) const;
  /// The client is back, and its answers (in `message`; null: none) are handed over. What that leads to may ask,
  /// withdraw and end from within. Questions without an answer stay, except those that `from` can not be asked: they
  /// fail.
  void come_back(request_number number, std::shared_ptr<const requester> from, const msg::document& message,
                 const boost::json::object* responses);

  /// False: the client is not away.
  bool keep(request_number number, kept_answer answer);
  std::optional<kept_answer> take_kept(request_number number);
  /// The call is over: its questions fail.
  void end(request_number number, const std::string& why);

  bool is_away(request_number number) const;
  bool is_returning(request_number number) const;
  /// It is over, and its answer waits for the client.
  bool has_kept(request_number number) const;
  bool has_questions(request_number number) const;
  /// The newest; null: that call was never parked.
  const requester* asker(request_number number) const;
  size_t question_count() const;
  /// How long answers are waited for: "10 minutes".
  std::string wait_text() const;
  /// Those whose client has not come back in time.
  std::vector<request_number> expired(time_point now) const;
  /// When the next of them will be; nothing: no client is away.
  std::optional<time_point> next_expiry() const;

private:
  struct open_question {
    question asked;
    std::string key;      ///< by which the client answers
    bool is_told = false; ///< the client knows it
  };
  struct parked_request {
    std::string call;
    std::shared_ptr<const requester> from;
    std::map<uint64_t, open_question> questions;
    uint32_t last_key = 0;
    uint32_t round = 0;
    time_point until;   ///< for answers to what its client was told
    time_point kept_to; ///< where none are wanted any more
    bool is_away = false;
    bool is_returning = false; ///< its answers are being handed over
    std::optional<kept_answer> kept;
  };

  static time_point end_of(const parked_request& r);
  bool has_room(const parked_request* of, const question& asked) const;
  std::optional<question> take(request_number number, uint64_t of);
  const parked_request* request(request_number number) const;

  std::chrono::milliseconds wait_;
  request_state_seal seal_;
  std::map<request_number, parked_request> requests_; ///< that were parked once, and are not over
  uint64_t last_question_ = 0;
};

} // namespace mcp
