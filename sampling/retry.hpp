// Whether a request to a provider is made again, and when.
#pragma once

#include "messages/errors.hpp"
#include "messages/sampling.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <string_view>

namespace sampling {

using std::chrono::milliseconds;

using msg::transport;

/// One request that gave no answer.
struct attempt {
  transport how = transport::answered;
  int status = 0;             ///< of `answered` and `too_large`
  std::string retry_after;    ///< header `retry-after`; empty: there was none
  std::string retry_after_ms; ///< header `retry-after-ms`
};

struct retry_bounds {
  /// The first one included. With the delays below: 7 s at the most, unless the provider asks for more.
  uint32_t tries_max = 4;
  milliseconds delay_first{500};
  milliseconds delay_max{8'000}; ///< of our own choice
};

/// A provider that asks for more than this is not waited for at all.
inline constexpr milliseconds asked_delay_max{300'000};

/// A try that has less time than this costs its prompt, and its end hides why the ones before have failed.
inline constexpr milliseconds try_time_min{100};

/// What the headers ask for: milliseconds, else seconds (fractions too), else an HTTP date. None: they ask for nothing
/// that can be understood. A time that has passed is 0; nothing is more than 24 hours.
std::optional<milliseconds> asked_delay(std::string_view retry_after_ms, std::string_view retry_after,
                                        std::chrono::system_clock::time_point now);

/// Worth another try in itself: 408, 429, 5xx (529 is Anthropic's "overloaded"), no connection, or one that broke
/// before any byte.
bool is_passing(const attempt& ended);

struct retry_decision {
  std::optional<milliseconds> wait; ///< then again; none: the fault is the end of it
  msg::fault error;                 ///< with `retry_after_ms` if the provider asked for a delay
};

/// Of one call: counts its tries.
class retry_policy {
public:
  /// `seed`: of the jitter, so that callers who failed together do not come back together.
  retry_policy(retry_bounds bounds, uint64_t seed);

  /// After a try that failed. `said`: what answer_of() or transport_fault() made of it; a 429 that it does not call
  /// `rate_limited` (no credit left) is not tried again. `left`: of the time of the call; a wait that does not
  /// leave try_time_min of it is not begun.
  retry_decision after(const attempt& ended, msg::fault said, milliseconds left,
                       std::chrono::system_clock::time_point now);
  uint32_t tries() const { return tries_; }

private:
  milliseconds own_delay();

  retry_bounds bounds_;
  std::mt19937_64 random_;
  uint32_t tries_ = 1;
};

} // namespace sampling
