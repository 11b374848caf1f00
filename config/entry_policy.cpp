#include "config/entry_policy.hpp"

#include "config/units.hpp"
#include "messages/limits.hpp"
#include "text/json_text.hpp"

#include <boost/json/array.hpp>

#include <cmath>
#include <optional>

namespace config {

namespace json = boost::json;
namespace limits = msg::limits;

namespace {

constexpr uint32_t day_ms = 86'400'000;
constexpr uint32_t requests_max = 1'000'000;
constexpr uint32_t at_once_max = 10'000;
constexpr uint32_t idle_ms_min = 1'000, idle_ms_max = 7 * day_ms;
constexpr uint32_t window_ms_min = 1'000;

std::string in_quotes(const std::string& field) { return "'" + field + "'"; }

/// Patterns of names of tools.
std::vector<std::string> patterns(entry_fields& fields, const std::string& field, const json::value& value) {
  std::vector<std::string> out;
  auto* list = value.if_array();
  if (!list || list->size() > limits::allowed_tools_max) {
    fields.complain_of_policy(field, in_quotes(field) + " must be a list of "
                                       + (list ? "at most " + std::to_string(limits::allowed_tools_max) + " " : "")
                                       + "names of tools");
    return out;
  }
  for (auto& item : *list) {
    bool is_right =
      item.is_string() && !item.get_string().empty() && item.get_string().size() <= limits::pattern_bytes_max;
    if (!is_right) {
      fields.complain_of_policy(item_path(field, out.size()),
                                in_quotes(field) + " must be a list of names of tools, and holds " + shown(item));
      return {};
    }
    out.emplace_back(item.get_string());
  }
  return out;
}

/// Also null counts as given: it is no list.
std::vector<const char*> given(const entry_fields& fields, field_names names) {
  std::vector<const char*> out;
  for (auto* name : names)
    if (fields.has(name))
      out.push_back(name);
  return out;
}

void read_tools(entry_fields& fields, const client_file& client, msg::name_policy& to) {
  auto included = given(fields, {"includeTools", "enabled_tools", "enabledTools", "available_tools"});
  if (is_written_by(client, "Copilot CLI") && fields.has("tools")) // elsewhere it means other things
    included.push_back("tools");
  if (is_written_by(client, "mcporter")) // the same: some clients list there what they do not ask about
    for (auto* name : given(fields, {"allowedTools", "allowed_tools"}))
      included.push_back(name);
  if (included.size() > 1)
    fields.complain_of_policy(included[1], in_quotes(included[0]) + " and " + in_quotes(included[1])
                                             + " are both given; remove one of the two");
  if (included.size() == 1) {
    auto* value = fields.raw(included[0]);
    bool is_empty_goose =
      std::string_view{included[0]} == "available_tools" && value->is_array() && value->get_array().empty();
    to.allowed = patterns(fields, included[0], *value);
    to.everything = is_empty_goose; // which says "all" so
  }
  for (auto* name : given(fields, {"excludeTools", "disabled_tools", "disabledTools", "blockedTools", "blocked_tools"}))
    for (auto& pattern : patterns(fields, name, *fields.raw(name)))
      to.denied.push_back(std::move(pattern));
}

std::optional<uint32_t> whole(const json::value& value, uint32_t least, uint32_t most) {
  auto* number = value.if_int64();
  return number && *number >= least && *number <= most ? std::optional{static_cast<uint32_t>(*number)} : std::nullopt;
}

uint32_t integer(entry_fields& fields, const std::string& field, const json::value& value, uint32_t least,
                 uint32_t most) {
  auto number = whole(value, least, most);
  if (!number)
    fields.complain_of_policy(field, in_quotes(field) + " must be an integer from " + std::to_string(least) + " to "
                                       + std::to_string(most) + ", not " + shown(value));
  return number.value_or(0);
}

/// 0: not given.
uint32_t integer_field(entry_fields& fields, const char* field, uint32_t least, uint32_t most) {
  return fields.has(field) ? integer(fields, field, *fields.raw(field), least, most) : 0;
}

void read_rate(entry_fields& fields, msg::rate_limit& to) {
  if (!fields.has("rateLimit"))
    return;
  auto& value = *fields.raw("rateLimit");
  auto* object = value.if_object();
  if (!object && !value.is_number())
    return fields.complain_of_policy(
      "rateLimit",
      "'rateLimit' must be an object {maxRequests, windowMs}, or a number for one minute, not " + shown(value));
  if (!object) {
    to.requests = integer(fields, "rateLimit", value, 1, requests_max);
    return;
  }
  for (auto& [key, inner] : *object) {
    auto field = member_path("rateLimit", key);
    if (key == "maxRequests")
      to.requests = integer(fields, field, inner, 1, requests_max);
    else if (key == "windowMs")
      to.window_ms = integer(fields, field, inner, window_ms_min, day_ms);
    else
      fields.complain_of_policy(field,
                                in_quotes(field) + " is not known; 'rateLimit' has 'maxRequests' and 'windowMs'");
  }
  if (!object->contains("maxRequests"))
    fields.complain_of_policy("rateLimit", "'rateLimit' has no 'maxRequests'");
}

void read_idle(entry_fields& fields, uint32_t& to) {
  if (!fields.has("idleTimeout"))
    return;
  auto& value = *fields.raw("idleTimeout");
  bool may_be = value.is_string() || value.is_int64();
  auto time = may_be ? parse_duration(value.is_string() ? std::string_view{value.get_string()}
                                                        : std::string_view{text::to_text(value)})
                     : std::nullopt;
  if (!time || time->count() < idle_ms_min || time->count() > idle_ms_max)
    return fields.complain_of_policy(
      "idleTimeout",
      "'idleTimeout' must be a time from 1s to 168h, such as \"10m\" or plain seconds, not " + shown(value));
  to = static_cast<uint32_t>(time->count());
}

/// The client's own limit of a call. It is no policy: a value that means nothing to us is left out.
void read_client_timeout(const entry_fields& fields, const client_file& client, uint32_t& to) {
  auto take = [&](const char* field, double factor) {
    auto* value = fields.find({field});
    if (to != 0 || !value || !value->is_number())
      return;
    json::error_code none;
    auto ms = value->to_number<double>(none) * factor;
    if (ms >= 1 && ms <= day_ms)
      to = static_cast<uint32_t>(ms);
  };
  take("tool_timeout_sec", 1'000);
  if (client.timeout != timeout_unit::unclear)
    take("timeout", client.timeout == timeout_unit::seconds ? 1'000 : 1);
}

} // namespace

void read_policy(entry_fields& fields, const client_file& client, msg::server_entry& to) {
  read_tools(fields, client, to.tools);
  read_rate(fields, to.rate);
  to.call_timeout_ms = integer_field(fields, "timeoutMs", 1, day_ms);
  read_client_timeout(fields, client, to.call_timeout_ms);
  to.calls_max = integer_field(fields, "maxConcurrent", 1, at_once_max);
  read_idle(fields, to.idle_ms);
  if (!fields.has("eager"))
    return;
  to.eager = fields.raw("eager")->is_bool() && fields.raw("eager")->get_bool();
  if (!fields.raw("eager")->is_bool())
    fields.complain_of_policy("eager", "'eager' must be true or false, not " + shown(*fields.raw("eager")));
}

} // namespace config
