// Requests of a run that have no answer yet: each gets exactly one, and what is held for it is given back then.
#pragma once

#include "actors/run/held_bytes.hpp"
#include "messages/document.hpp"
#include "messages/errors.hpp"
#include "messages/invariant.hpp"
#include "messages/limits.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <numeric>
#include <string>
#include <utility>

namespace actors::run {

/// Calls that models want are numbered from here; a guest's numbers are below.
inline constexpr uint64_t model_call_first = uint64_t{1} << 63;

class open_requests {
public:
  using reply_to = std::function<void(uint64_t id, msg::outcome<msg::document> answer)>;

  /// `held` outlives this.
  open_requests(held_bytes& held, reply_to reply) : held_(held), reply_(std::move(reply)) {}

  /// False: limits::guest_requests_max are open; it is refused, and told so.
  bool admit(uint64_t id) {
    if (open_.size() >= msg::limits::guest_requests_max) {
      reply_(id, msg::fault{msg::errc::overloaded, "this run has " + std::to_string(msg::limits::guest_requests_max)
                                                     + " requests open, which is the limit; await some first"});
      return false;
    }
    open_.emplace(id, 0);
    return true;
  }
  /// To a request that is answered at once, and never is open.
  void reply(uint64_t id, msg::outcome<msg::document> answer) { reply_(id, std::move(answer)); }
  bool contains(uint64_t id) const { return open_.contains(id); }
  size_t size() const { return open_.size(); }
  /// Of an open request: so many bytes more, until its answer.
  void hold(uint64_t id, size_t bytes) {
    auto found = open_.find(id);
    if (found == open_.end())
      return;
    found->second += bytes;
    held_.hold(bytes);
  }
  /// Nothing if it has its answer already.
  void answer(uint64_t id, msg::outcome<msg::document> result) {
    auto answered = open_.extract(id);
    if (!answered)
      return;
    held_.let_go(answered.mapped());
    msg::ensure_in_tests([this] { return held_.is_at_least(held_for_all()); },
                         "all that is held for open requests is held for the run");
    reply_(id, std::move(result));
  }
  /// Of a session's guest, which lives on: what it has asked must not wait for ever. What models wanted ends with their
  /// session, unanswered.
  void answer_all(const msg::fault& why) {
    for (auto& [id, bytes] : std::exchange(open_, {}))
      if (id < model_call_first)
        reply_(id, msg::fault{why});
  }

private:
  uint64_t held_for_all() const {
    return std::accumulate(open_.begin(), open_.end(), uint64_t{0},
                           [](uint64_t sum, auto& request) { return sum + request.second; });
  }

  held_bytes& held_;
  reply_to reply_;
  std::map<uint64_t, size_t> open_; ///< bytes held for each
};

} // namespace actors::run
