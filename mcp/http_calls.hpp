// Requests that a server over HTTP has got, or is about to: which exchange each is with, and whether anybody waits for
// its answer. What nobody waits for is ended here: each exchange takes a connection of a pool that all servers share.
#pragma once

#include "mcp/http_exchange.hpp"

#include <boost/json/value.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>

namespace mcp {

/// What a server may still send behind its answer, and how long it may take to end its stream: many never do.
inline constexpr std::chrono::milliseconds http_after_answer_max{1'000};
/// A call that was given up may still be answered, as child::given_up_slot_max has it.
inline constexpr std::chrono::milliseconds http_given_up_max{5'000};
/// Exchanges of one server that nobody waits for: beside the calls that it gets at once (32, unless somebody says
/// otherwise), notifications and a stream of its own they leave room among http::client_host_connections_max. Of more
/// the oldest ends at once.
inline constexpr size_t http_remnants_max = 16;

/// What a request is to its server.
enum class http_call_kind : uint8_t {
  told,    ///< who gives it up says so in a message, and may get an answer all the same
  closing, ///< the end of its stream says so (2026-07-28)
  standing ///< the same, and the server does no work for it
};

class http_calls {
public:
  using exchange_ptr = std::shared_ptr<http_exchange>;

  /// A request that is sent soon. 0, which is none, is ignored here and below.
  void begin(uint64_t key, http_call_kind kind = http_call_kind::told);
  /// It leaves, or the rest of its answer is asked for.
  void leaves(uint64_t key, exchange_ptr by);
  /// The server has done nothing for it, and it is sent once more later.
  void waits(uint64_t key);
  /// Nobody waits for its answer. True: it is not on its way, and must not leave any more.
  bool give_up(uint64_t key);
  bool is_given_up(uint64_t key) const;
  /// It has been taken, and is answered elsewhere (HTTP with SSE).
  void posted(uint64_t key);
  /// Those that this message answers are open no longer.
  void take_answers(const boost::json::value& message);
  /// Somebody is to be told what becomes of it.
  bool is_open(uint64_t key) const;
  /// It has an answer, or nobody goes on with it; what is answered elsewhere stays.
  void end(uint64_t key);
  /// The server may be working on some.
  bool may_be_carried_out() const;

private:
  struct call {
    http_call_kind kind = http_call_kind::told;
    exchange_ptr by; ///< null: the server has nothing of it
    bool is_given_up = false;
    bool is_taken_back = false; ///< the server never sees it, and nobody is told of it
    bool is_posted = false;
  };

  void leave(const exchange_ptr& what, std::chrono::milliseconds time);

  std::map<uint64_t, call> calls_;
  std::deque<std::weak_ptr<http_exchange>> remnants_; ///< the oldest first
};

} // namespace mcp
