// The content filter for a text that comes in pieces: what it gives is, put together, what filter_content() gives for
// the whole.
#pragma once

#include "content_filter/filter.hpp"
#include "content_filter/match.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace content_filter {

struct filtered_piece {
  std::string text;
  std::optional<content_class> blocked;
  bool ok() const { return !blocked; }
};

class stream_filter {
public:
  /// Bytes that are held back at most, because what they are depends on those that follow. Ordinary text is held back
  /// to the beginning of its last word.
  static constexpr size_t held_bytes_max = jwt_head_bytes_max + 8;

  explicit stream_filter(const content_policy& policy) : policy_(policy) {}

  /// What can be said of the text so far, behind what was given before. What is blocked is so then and ever after: what
  /// was given before it stays given.
  filtered_piece feed(std::string_view piece);
  /// The rest. Nothing may be fed afterwards.
  filtered_piece finish();

  const content_counts& counts() const { return counts_; }
  size_t held_bytes() const { return text_.size() - at_; }

private:
  void scan(bool is_end);
  void take(const match& s);
  bool pass_tail(bool is_end);
  void pass(size_t end);
  void copy();
  filtered_piece given();

  content_policy policy_;
  content_counts counts_;
  std::string text_;   // context that was looked at, then what is held back
  size_t at_ = 0;      // in text_: what is before it is decided
  size_t copied_ = 0;  // in text_: what is before it was given, or redacted
  tail open_;          // of what was found last
  bool keeps_ = false; // what was found last is allowed
  std::string out_;
  std::optional<content_class> blocked_;
};

static_assert(stream_filter::held_bytes_max > context_bytes_max + secret_bytes_max);
static_assert(stream_filter::held_bytes_max > email_local_bytes_max + email_domain_bytes_max + 4);
static_assert(stream_filter::held_bytes_max > pem_begin_bytes_max
              && stream_filter::held_bytes_max > number_bytes_max + 4);

} // namespace content_filter
