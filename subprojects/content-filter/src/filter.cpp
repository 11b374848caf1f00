#include "content_filter/filter.hpp"

#include "content_filter/stream_filter.hpp"

namespace content_filter {

namespace {

constexpr std::array<const char*, content_classes> names{"secret", "jwt", "pem", "email", "ssn", "card", "phone"};
constexpr std::array<const char*, content_classes> descriptions{
  "a key or token of a service",  "a JSON web token", "a PEM block", "an e-mail address", "a social security number",
  "the number of a payment card", "a phone number"};

} // namespace

const char* to_string(content_class c) { return names[static_cast<size_t>(c)]; }

bool parse_content_class(std::string_view name, content_class& out) {
  for (size_t i = 0; i < content_classes; ++i)
    if (names[i] == name) {
      out = static_cast<content_class>(i);
      return true;
    }
  return false;
}

std::string refusal(content_class blocked) {
  return std::string{"The text contains "} + descriptions[static_cast<size_t>(blocked)]
         + ", and the content filter blocks the class '" + to_string(blocked) + "'.";
}

filtered_text filter_content(std::string_view text, const content_policy& policy) {
  stream_filter filter{policy};
  auto first = filter.feed(text);
  auto last = filter.finish(); // what was blocked still is
  if (!last.ok())
    return {{}, filter.counts(), last.blocked};
  return {std::move(first.text) + last.text, filter.counts(), {}};
}

} // namespace content_filter
