#include "json_members.hpp"

#include "text/json_parse.hpp"
#include "text/printable.hpp"

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <charconv>
#include <utility>

namespace oauth {

namespace json = boost::json;

namespace {

/// A longer time is none: some 300 years.
constexpr double seconds_end = 1e10;

/// Members of the outermost object as they are written, of a text that is JSON. Of two with one name the parser keeps
/// one, and another reader may keep the other one.
size_t members_written(std::string_view text) {
  size_t count = 0, depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    auto c = text[i];
    if (c == '"')
      while (++i < text.size() && text[i] != '"')
        i += text[i] == '\\' ? 1 : 0;
    depth += c == '{' || c == '[' ? 1 : 0;
    depth -= c == '}' || c == ']' ? 1 : 0;
    count += c == ':' && depth == 1 ? 1 : 0;
  }
  return count;
}

bool is_fine(const json::value& value, size_t bytes_max) {
  auto* text = value.if_string();
  return text && text->size() <= bytes_max && text::find_control({text->data(), text->size()}) == std::string::npos;
}

} // namespace

json_members::json_members(std::string_view text, size_t bytes_max) {
  json::value value;
  if (text.size() > bytes_max)
    complain("it is larger than " + std::to_string(bytes_max >> 10) + " KiB");
  else if (auto wrong = text::parse_json(text, text::json_dialect::strict, value); !wrong.what.empty())
    complain("it is no JSON");
  else if (!value.is_object())
    complain("it is no JSON object");
  if (!problem_.empty())
    return;
  object_ = std::move(value.get_object());
  if (members_written(text) != object_.size())
    complain("it has a member twice");
}

void json_members::complain(std::string what) {
  if (problem_.empty())
    problem_ = std::move(what);
}

const json::value* json_members::find(std::string_view name) const {
  auto* found = problem_.empty() ? object_.if_contains(name) : nullptr;
  return found && !found->is_null() ? found : nullptr;
}

bool json_members::has(std::string_view name) const { return find(name) != nullptr; }

std::string json_members::text(std::string_view name, size_t bytes_max) {
  auto* found = find(name);
  if (!found)
    return {};
  if (!is_fine(*found, bytes_max)) {
    complain("'" + std::string{name} + "' is no text of at most " + std::to_string(bytes_max)
             + " bytes without control characters");
    return {};
  }
  return std::string{found->get_string()};
}

std::string json_members::needed_text(std::string_view name, size_t bytes_max) {
  auto out = text(name, bytes_max);
  if (out.empty())
    complain("it has no '" + std::string{name} + "'");
  return out;
}

std::optional<std::vector<std::string>> json_members::texts(std::string_view name) {
  auto* found = find(name);
  if (!found)
    return std::nullopt;
  std::vector<std::string> out;
  auto* list = found->if_array();
  auto is_text = [](const json::value& each) { return is_fine(each, member_bytes_max); };
  if (!list || list->size() > list_items_max || !std::all_of(list->begin(), list->end(), is_text)) {
    complain("'" + std::string{name} + "' is no list of at most " + std::to_string(list_items_max) + " texts");
    return std::nullopt;
  }
  for (auto& each : *list)
    out.emplace_back(each.get_string());
  return out;
}

bool json_members::flag(std::string_view name) {
  auto* found = find(name);
  if (found && !found->is_bool())
    complain("'" + std::string{name} + "' is neither true nor false");
  return found && found->is_bool() && found->get_bool();
}

std::optional<int64_t> json_members::seconds(std::string_view name) {
  auto* found = find(name);
  if (!found)
    return std::nullopt;
  double number = -1;
  if (auto* text = found->if_string(); text && !text->empty()) {
    auto [end, ec] = std::from_chars(text->data(), text->data() + text->size(), number);
    if (ec != std::errc{} || end != text->data() + text->size())
      number = -1;
  } else if (found->is_number()) {
    boost::system::error_code ec;
    number = found->to_number<double>(ec);
  }
  if (number >= 0 && number < seconds_end)
    return static_cast<int64_t>(number);
  complain("'" + std::string{name} + "' is no time in seconds");
  return std::nullopt;
}

} // namespace oauth
