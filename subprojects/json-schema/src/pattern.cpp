#include "pattern.hpp"

#include "ecma_pattern.hpp"

#include <algorithm>

namespace json_schema {

namespace {

/// PCRE2 does not say how many steps a match took: matching is tried with ever larger limits, and each try is paid for.
constexpr uint32_t first_pattern_steps = 1'000;
constexpr uint32_t growth = 8;
/// Steps of a pattern are about half as long as ours; characters are skipped by the dozen.
constexpr size_t pattern_steps_per_step = 2;
constexpr size_t matched_bytes_per_step = 32;

} // namespace

pcre2_match_context* match_space::context() {
  if (!context_) {
    context_.reset(pcre2_match_context_create(nullptr));
    data_.reset(pcre2_match_data_create(1, nullptr));
    if (context_)
      pcre2_set_heap_limit(context_.get(), limits_.pattern_memory_kib);
  }
  return data_ ? context_.get() : nullptr;
}

std::string pattern::compile(std::string_view ecma) {
  auto translated = translate(ecma);
  if (!translated.problem.empty())
    return translated.problem;
  int code = 0;
  PCRE2_SIZE at = 0;
  constexpr uint32_t options = PCRE2_UTF | PCRE2_DOLLAR_ENDONLY | PCRE2_MATCH_UNSET_BACKREF | PCRE2_NEVER_BACKSLASH_C;
  auto* text = reinterpret_cast<PCRE2_SPTR>(translated.pcre.data());
  code_.reset(pcre2_compile(text, translated.pcre.size(), options, &code, &at, nullptr));
  if (code_)
    return {};
  char message[160] = "";
  pcre2_get_error_message(code, reinterpret_cast<PCRE2_UCHAR*>(message), sizeof message);
  return std::string{"not supported: "} + message;
}

bool pattern::matches(std::string_view text, match_space& space, budget& steps) const {
  auto* context = space.context();
  auto* subject = reinterpret_cast<PCRE2_SPTR>(text.data());
  if (!context || !steps.charge(1 + text.size() / matched_bytes_per_step))
    return false;
  auto most = space.limits_.pattern_steps;
  for (auto limit = std::min(first_pattern_steps, most);; limit = limit > most / growth ? most : limit * growth) {
    pcre2_set_match_limit(context, limit);
    auto found = pcre2_match(code_.get(), subject, text.size(), 0, 0, space.data_.get(), context);
    bool is_over = found == PCRE2_ERROR_MATCHLIMIT || found == PCRE2_ERROR_HEAPLIMIT || found == PCRE2_ERROR_DEPTHLIMIT;
    if (!is_over)
      return found >= 0; // errors: the text is no UTF-8, so that no pattern describes it
    if (found != PCRE2_ERROR_MATCHLIMIT || limit >= most)
      steps.stop("a regular expression took too many steps");
    if (!steps.charge(limit / pattern_steps_per_step))
      return false;
  }
}

size_t pattern::memory_bytes() const {
  size_t bytes = 0;
  pcre2_pattern_info(code_.get(), PCRE2_INFO_SIZE, &bytes);
  return bytes;
}

} // namespace json_schema
