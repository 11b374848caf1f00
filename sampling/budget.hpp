// Rounds and tokens of one run. Tokens are reserved before a question and settled after it, so that questions at the
// same time never use more together than they may.
#pragma once

#include "messages/errors.hpp"
#include "messages/sampling.hpp"

#include <cstdint>

namespace sampling {

struct budget_limits {
  uint32_t rounds = 10;
  uint32_t tokens = 10'000; ///< input and output of all questions
};

/// An answer that may be shorter is no use.
inline constexpr uint32_t answer_tokens_min = 16;

class budget {
public:
  explicit budget(budget_limits limits) : limits_(limits) {}

  enum class verdict : uint8_t {
    taken,
    later,   ///< too much is reserved by others just now: ask again when one of them is settled
    refused, ///< the error says what is used and left
  };
  struct claim {
    verdict what = verdict::refused;
    uint32_t tokens = 0;     ///< reserved, to be given to settle()
    uint32_t max_tokens = 0; ///< of the answer
    msg::fault error;
  };
  /// How much an answer may be cut to fit.
  enum class wish : uint8_t { exact, at_most };

  /// One round, and tokens for `input` and an answer.
  claim take(uint32_t input, uint32_t max_tokens, wish how);
  /// Of a question that was not sent: its round counts all the same.
  void settle(uint32_t reserved, const msg::token_usage& used);

  uint32_t rounds() const { return rounds_; }
  uint32_t rounds_left() const { return limits_.rounds - rounds_; }
  uint64_t tokens() const { return used_; }
  uint64_t tokens_left() const { return used_ < limits_.tokens ? limits_.tokens - used_ : 0; }

private:
  budget_limits limits_;
  uint32_t rounds_ = 0;
  uint64_t used_ = 0, reserved_ = 0;
};

} // namespace sampling
