// How a connection to a server begins, until it is known which revision is spoken on it: `server/discover` of
// 2026-07-28, `initialize` of those before, or one after the other.
#pragma once

#include "mcp/opening_answer.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace mcp {

/// What is asked first.
enum class opening : uint8_t {
  initialize, ///< it is known to begin with it; one that refuses is asked to say what it speaks
  discover,   ///< nothing is known, or it is known to understand that; else `initialize` follows
};

/// So long a server may take for its answer to `server/discover`, then it is asked to `initialize` as well: what only
/// knows that may be silent, or still be starting.
inline constexpr std::chrono::milliseconds discovery_patience{2'000};

class client_opening {
public:
  /// Sends one of the two requests; its id, or 0: the server does not read its requests.
  using sender = std::function<int64_t(std::string_view method)>;

  explicit client_opening(sender ask) : ask_(std::move(ask)) {}

  /// Nothing: it goes on. Else what it has come to: `modern`, `legacy` or `failed`.
  using end = std::optional<opening_answer>;

  end start(opening first);
  /// Enough time for an answer to `server/discover`: what only knows `initialize` may be silent.
  end stop_waiting();
  /// Whether that is a request of the opening which is not answered. A late answer is one as well.
  bool is_open(int64_t id) const { return id != 0 && (id == discover_id_ || id == initialize_id_); }
  /// Of a request that is_open().
  end take(int64_t id, const message_view& response, const masking& masked);
  /// Its answer to `server/discover` can not be read: one more way not to know it.
  end take_unreadable();
  /// The request `server/discover`, if it has no answer; 0: it has, or was not sent.
  int64_t open_discovery() const { return discover_id_; }
  /// No answer counts any more.
  void give_up() { discover_id_ = initialize_id_ = 0; }
  bool goes_on() const { return !has_ended_ && (discover_id_ != 0 || initialize_id_ != 0); }
  /// The server has said, in whatever way, whether it understands `server/discover`.
  bool has_learned() const { return has_learned_; }
  bool understands_discovery() const { return modern_answer_.has_value(); }

private:
  end discover();
  end initialize();
  end discovered(opening_answer answer);
  end initialized(opening_answer answer);
  end ended(opening_answer answer);

  sender ask_;
  int64_t discover_id_ = 0, initialize_id_ = 0;
  bool was_discovery_asked_ = false, was_asked_again_ = false;
  bool has_learned_ = false, has_ended_ = false;
  end modern_answer_;              ///< to `server/discover`
  std::string initialize_problem_; ///< why it was refused, by a server that may only speak the later era
};

} // namespace mcp
