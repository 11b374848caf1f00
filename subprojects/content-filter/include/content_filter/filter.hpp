// Takes secrets and personal data out of what goes to a model and comes from it.
//
// It finds what has the form of a secret. What is written so that it does not (spelled, split by other text, encoded)
// is not found: this protects from accidents, not from programs that mean to tell. What is found is told in docs of
// each class below.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace content_filter {

enum class content_class : uint8_t {
  secret, ///< keys and tokens of services (secret_kinds.cpp)
  jwt,    ///< JSON web tokens, with all their parts
  pem,    ///< from BEGIN to END; if the end is missing, all that follows
  email,
  ssn,   ///< social security numbers of the USA, written with two dashes, of those that are given out
  card,  ///< payment cards: numbers of the known brands with a right check digit, in groups or not
  phone, ///< +49 30 ..., (415) 555-..., 415-555-...; other forms behind a word such as `phone:`
};
inline constexpr size_t content_classes = 7;

/// As it is written in settings.
const char* to_string(content_class c);
/// False: `name` is none.
bool parse_content_class(std::string_view name, content_class& out);

enum class content_action : uint8_t {
  redact, ///< a mark takes its place
  block,  ///< nothing goes through
  allow,
};

/// What is done with each class.
struct content_policy {
  std::array<content_action, content_classes> actions{}; ///< redact
  content_action of(content_class c) const { return actions[static_cast<size_t>(c)]; }
  void set(content_class c, content_action action) { actions[static_cast<size_t>(c)] = action; }
};

/// In the place of secrets, JSON web tokens and PEM blocks.
inline constexpr std::string_view secret_mark = "[REDACTED_SECRET]";
/// In the place of personal data.
inline constexpr std::string_view personal_mark = "[REDACTED_PII]";

/// How many of each class were found, whatever was done with them.
struct content_counts {
  std::array<uint32_t, content_classes> found{};
  uint32_t of(content_class c) const { return found[static_cast<size_t>(c)]; }
};

/// If there is something that is to be blocked: the first class of it, and nothing of the text.
struct filtered_text {
  std::string text;
  content_counts counts;
  std::optional<content_class> blocked;
  bool ok() const { return !blocked; }
};

/// Linear in time; the bytes that are not redacted stay as they are, UTF-8 or not.
filtered_text filter_content(std::string_view text, const content_policy& policy);

/// A sentence for those who asked.
std::string refusal(content_class blocked);

} // namespace content_filter
