// Which call is hit by which rule. It depends on the seed, the server, the tool and the number of the call among those
// of that tool only: not on time, load, or the order in which the calls of different tools come.
#pragma once

#include "faults/plan.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace faults {

/// What a plan says of one call.
struct decision {
  uint64_t number = 0;         ///< of the call, from 1
  const rule* delay = nullptr; ///< null: none; the rules live as long as the plan
  const rule* fault = nullptr; ///< likewise
  std::chrono::milliseconds delayed_by{0};

  bool is_hit() const { return delay || fault; }
  /// The one that comes first in the plan: it is told.
  const rule* told() const { return !delay || (fault && fault < delay) ? fault : delay; }
};

/// A number in [0, 1), the same on every machine.
double chance(uint64_t seed, size_t rule, std::string_view name, uint64_t number);
/// The part of it that is the same for all calls of that name.
uint64_t chance_begun(uint64_t seed, size_t rule, std::string_view name);
double chance(uint64_t begun, uint64_t number);

/// Of one plan: counts the calls.
class decisions {
public:
  /// Names that are counted, of each moment; all others together are one.
  static constexpr size_t names_max = 1'000;

  explicit decisions(plan what) : plan_(std::move(what)) {}
  decisions(const decisions&) = delete;
  decisions& operator=(const decisions&) = delete;

  /// Of the next call. `name`: the whole one of the tool; of what is no call, with the method instead of the tool.
  decision next(std::string_view name, moment when);

  const plan& of() const { return plan_; }

private:
  struct counted {
    uint64_t calls = 0;
    struct rule_of_name {
      size_t number;  ///< in the plan
      uint64_t begun; ///< see chance_begun()
    };
    std::vector<rule_of_name> rules; ///< whose patterns match
    std::vector<uint64_t> hits;      ///< of all rules, by their numbers
  };

  counted& find(std::string_view name, moment when);
  std::vector<counted::rule_of_name> matching(std::string_view name, moment when) const;
  bool fires(const counted::rule_of_name& one, counted& of) const;

  plan plan_;
  std::array<std::map<std::string, counted, std::less<>>, moments> counted_; ///< by moment
};

} // namespace faults
