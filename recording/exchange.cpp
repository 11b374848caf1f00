#include "recording/exchange.hpp"

#include "audit/redact.hpp"
#include "mcp/asked_secrets.hpp"
#include "mcp/fields.hpp"
#include "mcp/secret_mask.hpp"
#include "recording/spelled_numbers.hpp"
#include "text/canonical_json.hpp"
#include "text/digest.hpp"
#include "text/json_text.hpp"

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

/// Everything in it that is a text or a number.
json::value redacted_whole(const json::value& value, const mask_of_texts& mask) {
  if (value.is_null() || value.is_bool())
    return value;
  if (auto* list = value.if_array()) {
    json::array out;
    out.reserve(list->size());
    for (auto& item : *list)
      out.push_back(redacted_whole(item, mask));
    return out;
  }
  if (auto* object = value.if_object()) {
    json::object out;
    distinct_names names;
    for (auto& [name, member] : *object)
      out.emplace(names.in(out, mask(std::string{name})), redacted_whole(member, mask));
    return out;
  }
  return json::value(redacted_text);
}

/// JSON in a text stays JSON: what reads it has the same parts.
std::string redacted_within(const json::string& given, const mask_of_texts& mask) {
  auto first = given.empty() ? ' ' : given[0];
  if (first == '{' || first == '[')
    if (auto inner = msg::document::parse(given); inner.ok()) {
      auto shown = without_secrets(inner.value.value(), mask);
      return shown == inner.value.value() ? std::string{given} : text::to_text(shown);
    }
  return audit::redacted(mask(std::string{given}), any_bytes);
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
  if (auto* object = value.if_object()) {
    json::object out;
    out.reserve(object->size());
    distinct_names shown_names;
    for (auto& [name, member] : *object) {
      bool is_whole = names == secret_names::redacted && is_secret(name);
      out.emplace(shown_names.in(out, mask(std::string{name})),
                  is_whole ? redacted_whole(member, mask) : without_secrets(member, mask, names));
    }
    return out;
  }
  if (auto* list = value.if_array()) {
    json::array out;
    out.reserve(list->size());
    for (auto& item : *list)
      out.push_back(without_secrets(item, mask, names));
    return out;
  }
  if (auto* given = value.if_string())
    return json::value(redacted_within(*given, mask));
  if (!value.is_number())
    return value;
  auto written = text::to_text(value);
  bool is_masked = written.size() >= mcp::secret_bytes_min && mask(written) != written;
  return is_masked ? json::value(mcp::secret_shown) : value;
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
