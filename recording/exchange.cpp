#include "recording/exchange.hpp"

#include "audit/redact.hpp"
#include "mcp/asked_secrets.hpp"
#include "mcp/fields.hpp"
#include "mcp/secret_mask.hpp"
#include "recording/spelled_numbers.hpp"
#include "text/canonical_json.hpp"
#include "text/digest.hpp"
#include "text/json_parse.hpp"
#include "text/json_text.hpp"
#include "text/parsed_size.hpp"

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <utility>

namespace recording {

namespace json = boost::json;

namespace {

constexpr size_t key_digits = 16;
/// Texts are not cut.
constexpr size_t any_bytes = size_t{1} << 40;

/// By the words of names_secret(), and by names that these do not have.
bool is_secret(std::string_view name) {
  constexpr std::array<std::string_view, 8> more{"authorization", "cookie", "set-cookie",  "passwords",
                                                 "secrets",       "pin",    "passphrases", "credentials"};
  std::string low{name};
  std::transform(low.begin(), low.end(), low.begin(), [](unsigned char c) { return std::tolower(c); });
  return mcp::names_secret(name) || std::find(more.begin(), more.end(), low) != more.end();
}

/// Names of one object's members, which stay apart where masks make them the same.
class distinct_names {
public:
  std::string in(const json::object& object, const std::string& name) {
    if (!object.contains(name))
      return name;
    auto& last = last_.emplace(name, 1).first->second;
    std::string out;
    do
      out = name + " " + std::to_string(++last);
    while (object.contains(out));
    return out;
  }

private:
  std::map<std::string, size_t> last_; ///< number that was given
};

/// True: a name is another one.
bool mask_names(json::object& in, const mask_of_texts& mask) {
  bool is_other = std::any_of(in.begin(), in.end(), [&](auto& member) {
    return mask(std::string{member.key()}) != std::string_view{member.key()};
  });
  if (!is_other)
    return false;
  json::object out;
  out.reserve(in.size());
  distinct_names names;
  for (auto& member : in)
    out.emplace(names.in(out, mask(std::string{member.key()})), std::move(member.value()));
  in = std::move(out);
  return true;
}

/// Everything in it that is a text or a number. True: something is another one.
bool redact_whole(json::value& in, const mask_of_texts& mask) {
  bool is_other = false;
  if (auto* list = in.if_array()) {
    for (auto& item : *list)
      is_other |= redact_whole(item, mask);
  } else if (auto* object = in.if_object()) {
    for (auto& member : *object)
      is_other |= redact_whole(member.value(), mask);
    is_other |= mask_names(*object, mask);
  } else if (is_other = !in.is_null() && !in.is_bool() && in != json::value(redacted_text); is_other) {
    in = redacted_text;
  }
  return is_other;
}

bool redact(json::value& in, const mask_of_texts& mask, secret_names names);

/// JSON in a text stays JSON: what reads it has the same parts. What would take much memory for that is not kept.
std::string redacted_within(const json::string& given, const mask_of_texts& mask) {
  auto first = given.empty() ? ' ' : given[0];
  if (first == '{' || first == '[') {
    if (text::parsed_size(given) > inner_held_bytes_max)
      return std::string{redacted_text} + " JSON of " + std::to_string(given.size())
             + " bytes, in which secrets are not looked for: it would take more than "
             + std::to_string(inner_held_bytes_max >> 20) + " MiB of memory";
    json::value inner; // changed in place: it may have twenty times its text
    if (text::parse_json(given, text::json_dialect::strict, inner).what.empty())
      return redact(inner, mask, secret_names::redacted) ? text::to_text(inner) : std::string{given};
  }
  return audit::redacted(mask(std::string{given}), any_bytes);
}

bool redact_leaf(json::value& in, const mask_of_texts& mask) {
  if (auto* given = in.if_string()) {
    auto shown = redacted_within(*given, mask);
    bool is_other = shown != std::string_view{*given};
    if (is_other)
      in = shown;
    return is_other;
  }
  auto written = in.is_number() ? text::to_text(in) : std::string{};
  bool is_masked = written.size() >= mcp::secret_bytes_min && mask(written) != written;
  if (is_masked)
    in = mcp::secret_shown;
  return is_masked;
}

/// True: something is another one.
bool redact(json::value& in, const mask_of_texts& mask, secret_names names) {
  bool is_other = false;
  if (auto* object = in.if_object()) {
    for (auto& member : *object) {
      bool is_whole = names == secret_names::redacted && is_secret(member.key());
      is_other |= is_whole ? redact_whole(member.value(), mask) : redact(member.value(), mask, names);
    }
    return mask_names(*object, mask) || is_other;
  }
  if (auto* list = in.if_array()) {
    for (auto& item : *list)
      is_other |= redact(item, mask, names);
    return is_other;
  }
  return redact_leaf(in, mask);
}

} // namespace

std::string question::tool() const {
  return method == "tools/call" ? std::string{mcp::string_or(params, "name")} : std::string{};
}

question question_of(std::string server, const msg::document& request) {
  question out;
  auto* message = request.value().if_object();
  out.server = std::move(server);
  out.method = std::string{mcp::string_in(message, "method")};
  if (auto* params = mcp::object_in(message, "params")) {
    out.params = *params;
    out.params.erase("_meta");
  }
  return out;
}

std::string key_of(const question& asked, std::string_view salt) {
  auto params = text::canonical_json(json::value(asked.params));
  return text::digest{}.add(salt).add(asked.server).add(asked.method).add(params).hex().substr(0, key_digits);
}

secret_names names_in(std::string_view method) {
  return method == "tools/list" ? secret_names::kept : secret_names::redacted;
}

json::value without_secrets(const json::value& value, const mask_of_texts& mask, secret_names names) {
  auto out = value;
  redact(out, mask, names);
  return out;
}

bool has_mark(std::string_view text) {
  return text.find(redacted_text) != text.npos || text.find(mcp::secret_shown) != text.npos;
}

void for_each_leaf(const json::value& real, const json::value& shown, std::string& path, const leaf_visitor& of) {
  auto *object = real.if_object(), *shown_object = shown.if_object();
  auto *list = real.if_array(), *shown_list = shown.if_array();
  auto length = path.size();
  if (object && shown_object && object->size() == shown_object->size()) {
    auto beside = shown_object->begin();
    for (auto& [name, member] : *object) {
      path.append("/").append(name);
      for_each_leaf(member, (beside++)->value(), path, of);
      path.resize(length);
    }
  } else if (list && shown_list && list->size() == shown_list->size()) {
    for (size_t i = 0; i < list->size(); ++i) {
      path.append("/").append(std::to_string(i));
      for_each_leaf((*list)[i], (*shown_list)[i], path, of);
      path.resize(length);
    }
  } else {
    of(path, real, shown);
  }
}

std::string digest_of(const std::string& path, const json::value& real, std::string_view salt) {
  return text::digest{}.add(salt).add(path).add(text::canonical_json(real)).hex().substr(0, key_digits);
}

json::array digests_of_redacted(const json::value& real, const json::value& shown, std::string_view salt) {
  json::array out;
  std::string path;
  for_each_leaf(real, shown, path, [&](const std::string& at, const json::value& one, const json::value& as_shown) {
    if (one != as_shown)
      out.emplace_back(digest_of(at, one, salt));
  });
  return out;
}

namespace {

/// A member of a line: its value, with its numbers as they were spelled if those are kept.
void add_member(std::string& line, std::string_view name, const json::value& real, const msg::document& whole,
                const ended_exchange& what, const mask_of_texts& mask) {
  auto shown = without_secrets(real, mask, names_in(what.asked.method));
  line.append(",\"").append(name).append("\":");
  line += what.numbers == msg::spelling::kept ? with_numbers_of(shown, real, whole.part(real).spelled())
                                              : text::to_text(shown);
}

} // namespace

std::string exchange_line(const ended_exchange& what, const mask_of_texts& mask, std::string_view salt) {
  json::value params = what.asked.params;
  auto shown = without_secrets(params, mask);
  auto redacted = digests_of_redacted(params, shown, salt);
  json::object head{{"key", key_of(what.asked, salt)},
                    {"server", what.asked.server},
                    {"method", what.asked.method},
                    {"params", std::move(shown)},
                    {"ms", what.milliseconds}};
  if (!redacted.empty())
    head.emplace("redacted", std::move(redacted));
  if (!what.lost.empty())
    head.emplace("lost", mask(what.lost));
  auto line = text::to_text(head);
  line.pop_back();
  auto* message = what.answer.value().if_object();
  for (std::string_view member : {"result", "error"})
    if (auto* said = message ? message->if_contains(member) : nullptr)
      add_member(line, member, *said, what.answer, what, mask);
  return line + "}";
}

std::string notification_line(std::string_view server, const msg::document& message, const mask_of_texts& mask,
                              msg::spelling numbers) {
  auto shown = without_secrets(message.value(), mask);
  return "{\"server\":" + text::to_text(json::value(server)) + ",\"notification\":"
         + (numbers == msg::spelling::kept ? with_numbers_of(shown, message.value(), message.spelled())
                                           : text::to_text(shown))
         + "}";
}

msg::document fault_line(std::string_view server, const json::object& fault, const mask_of_texts& mask) {
  auto names = mcp::string_or(fault, "on") == "list" ? secret_names::kept : secret_names::redacted;
  auto shown = without_secrets(fault, mask, names);
  if (auto* canary = fault.if_contains("canary")) // of the plan, and told apart by its digest
    shown.get_object()["canary"] = *canary;
  return msg::document{json::object{{"server", server}, {"fault", std::move(shown)}}};
}

msg::document obeyed_line(std::string_view tool, std::string_view canary) {
  return msg::document{json::object{{"obeyed", json::object{{"tool", tool}, {"canary", canary}}}}};
}

} // namespace recording
