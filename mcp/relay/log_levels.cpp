#include "mcp/relay/log_levels.hpp"

#include "mcp/envelope.hpp"
#include "mcp/fields.hpp"
#include "messages/log_level.hpp"

#include <cstddef>

namespace mcp::relay {

namespace {

/// The gravest is the last. As weight_of_none: it is no level.
constexpr auto weight_of_none = static_cast<size_t>(msg::log_level::off);

size_t weight(std::string_view level) {
  return static_cast<size_t>(msg::log_level_of(level).value_or(msg::log_level::off));
}

} // namespace

std::string_view level_of_request(const message_view& request) {
  return string_in(object_in(request.params, "_meta"), meta_key::log_level);
}

bool is_level_name(std::string_view text) { return weight(text) < weight_of_none; }

bool is_wanted(std::string_view level, std::string_view least) {
  return weight(level) < weight_of_none && weight(level) >= weight(least);
}

bool log_levels::is_more(std::string_view level) {
  if (weight(level) >= weight(asked_for_) || weight(level) == weight_of_none)
    return false;
  asked_for_ = level;
  return true;
}

} // namespace mcp::relay
