#include "sampling/budget.hpp"

#include <algorithm>
#include <string>

namespace sampling {

using msg::errc;

namespace {

std::string of(uint64_t used, uint64_t all) { return std::to_string(used) + "/" + std::to_string(all); }

} // namespace

budget::claim budget::take(uint32_t input, uint32_t max_tokens, wish how) {
  claim out;
  if (rounds_ >= limits_.rounds) {
    out.error = {errc::limit_exceeded,
                 "Rate limit exceeded: " + of(rounds_, limits_.rounds)
                   + " rounds used, 0 remaining (maxSamplingRounds, sampling.maxRoundsPerExecution)"};
    return out;
  }
  auto least = uint64_t{input} + (how == wish::exact ? max_tokens : std::min(max_tokens, answer_tokens_min));
  if (least > tokens_left()) {
    out.error = {errc::limit_exceeded, "Token limit exceeded: " + of(used_, limits_.tokens) + " tokens used, "
                                         + std::to_string(tokens_left()) + " remaining, and this question needs "
                                         + std::to_string(least)
                                         + " with its answer (maxSamplingTokens, sampling.maxTokensPerExecution)"};
    return out;
  }
  auto free = tokens_left() - std::min(reserved_, tokens_left());
  auto wanted = std::min(uint64_t{input} + max_tokens, tokens_left());
  if (wanted > free) {
    out.what = verdict::later;
    return out;
  }
  ++rounds_;
  reserved_ += wanted;
  out.what = verdict::taken;
  out.tokens = static_cast<uint32_t>(wanted);
  out.max_tokens = static_cast<uint32_t>(wanted - input);
  return out;
}

void budget::settle(uint32_t reserved, const msg::token_usage& used) {
  reserved_ -= reserved;
  used_ += uint64_t{used.input} + used.output;
}

} // namespace sampling
