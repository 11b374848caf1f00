// Flags, numbers and names out of a section.
#include "config/settings_section.hpp"
#include "config/units.hpp"
#include "text/json_text.hpp"

#include <boost/json/array.hpp>

#include <algorithm>
#include <charconv>
#include <optional>

namespace config {

namespace json = boost::json;
using section = settings_section;

namespace {

template <class Number>
bool parse_number(std::string_view text, Number& to) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), to);
  return error == std::errc{} && end == text.data() + text.size();
}

std::optional<uint64_t> integer_of(const given_value& g) {
  uint64_t value = 0;
  if (g.is_text)
    return parse_number(text_of(g), value) ? std::optional{value} : std::nullopt;
  return g.value.is_int64() && g.value.get_int64() >= 0 ? std::optional{static_cast<uint64_t>(g.value.get_int64())}
                                                        : std::nullopt;
}

std::string range(uint64_t least, uint64_t most) {
  return "an integer from " + std::to_string(least) + " to " + std::to_string(most);
}

json::object integer_schema(uint64_t least, uint64_t most) {
  return {{"type", "integer"}, {"minimum", least}, {"maximum", most}};
}

/// "30s", "1500ms"
std::string time_text(std::chrono::milliseconds time) {
  return time.count() % 1'000 == 0 ? std::to_string(time.count() / 1'000) + "s" : std::to_string(time.count()) + "ms";
}

} // namespace

void section::flag(const setting_name& name, bool& to) {
  take_flag(name, declare(name, {{"type", "boolean"}}, to), "true or false", to);
}

void section::flag(const setting_name& name, std::optional<bool>& to) {
  bool value = false;
  auto& entry = declare(name, {{"type", "boolean"}}, nullptr);
  take_flag(name, entry, "true or false", value);
  if (entry.origins.empty())
    entry.value = nullptr;
  else
    to = value;
}

void section::take_flag(const setting_name& name, setting_entry& entry, const char* expected, bool& to) {
  for (auto& g : given(name, entry)) {
    auto text = g.is_text ? text_of(g) : std::string_view{};
    bool is_true = text == "true" || text == "1", is_false = text == "false" || text == "0";
    if (!g.value.is_bool() && !is_true && !is_false)
      reader_->complain(g, expected);
    to = g.value.is_bool() ? g.value.get_bool() : is_true;
  }
  entry.settle(to);
}

uint64_t section::whole_number(const setting_name& name, uint64_t least, uint64_t most, uint64_t standard) {
  auto& entry = declare(name, integer_schema(least, most), standard);
  auto to = standard;
  for (auto& g : given(name, entry)) {
    auto value = integer_of(g);
    if (value && *value >= least && *value <= most)
      to = *value;
    else
      reader_->complain(g, range(least, most));
  }
  entry.settle(to);
  return to;
}

void section::milliseconds(const setting_name& name, uint64_t least, uint64_t most, std::chrono::milliseconds& to) {
  to =
    std::chrono::milliseconds{static_cast<int64_t>(whole_number(name, least, most, static_cast<uint64_t>(to.count())))};
}

void section::milliseconds_or_never(const setting_name& name, uint64_t least, uint64_t most,
                                    std::chrono::milliseconds& to) {
  auto& entry =
    declare(name, {{"anyOf", json::array{json::object{{"const", 0}}, integer_schema(least, most)}}}, to.count());
  for (auto& g : given(name, entry)) {
    auto value = integer_of(g);
    if (value && (*value == 0 || (*value >= least && *value <= most)))
      to = std::chrono::milliseconds{static_cast<int64_t>(*value)};
    else
      reader_->complain(g, range(least, most) + ", or 0 for never");
  }
  entry.settle(to.count());
}

void section::seconds(const setting_name& name, uint64_t least, uint64_t most, std::chrono::milliseconds& to) {
  auto value = whole_number(name, least, most, static_cast<uint64_t>(to.count() / 1'000));
  to = std::chrono::seconds{static_cast<int64_t>(value)};
}

void section::mebibytes(const setting_name& name, uint64_t least, uint64_t most, uint64_t& bytes) {
  bytes = whole_number(name, least, most, bytes >> 20) << 20;
}

void section::number(const setting_name& name, double least, double most, double& to) {
  json::object schema{{"type", "number"}, {"minimum", least}, {"maximum", most}};
  auto& entry = declare(name, std::move(schema), to < least ? json::value(nullptr) : json::value(to));
  for (auto& g : given(name, entry)) {
    double value = 0;
    json::error_code none;
    bool is_number = g.is_text ? parse_number(text_of(g), value) : g.value.is_number();
    if (!g.is_text && is_number)
      value = g.value.to_number<double>(none);
    if (is_number && value >= least && value <= most)
      entry.settle(to = value);
    else
      reader_->complain(g, "a number from " + text::to_text(json::value(least)) + " to "
                             + text::to_text(json::value(most)));
  }
}

void section::bytes(const setting_name& name, uint64_t least, uint64_t most, uint64_t& to) {
  auto& entry = declare(name, {{"type", json::array{"integer", "string"}}, {"minimum", least}, {"maximum", most}}, to);
  for (auto& g : given(name, entry)) {
    auto value = parse_bytes(g.value.is_string() ? std::string{text_of(g)} : text::to_text(g.value));
    if (value && *value >= least && *value <= most)
      to = *value;
    else
      reader_->complain(g, "a size from " + std::to_string(least >> 20) + "m to " + std::to_string(most >> 20)
                             + "m, such as 512m, 1g or plain bytes");
  }
  entry.settle(to);
}

void section::duration(const setting_name& name, std::chrono::milliseconds least, std::chrono::milliseconds most,
                       std::chrono::milliseconds& to) {
  auto& entry = declare(name, {{"type", "string"}}, json::string{time_text(to)});
  for (auto& g : given(name, entry)) {
    auto value = parse_duration(g.value.is_string() ? std::string{text_of(g)} : text::to_text(g.value));
    if (value && *value >= least && *value <= most)
      to = *value;
    else
      reader_->complain(g, "a time from " + std::to_string(least.count() / 1'000) + "s to "
                             + std::to_string(most.count() / 1'000) + "s, such as 30s, 1500ms, 2m or plain seconds");
  }
  entry.settle(json::string{time_text(to)});
}

std::string section::name_of(const setting_name& name, const std::vector<std::string_view>& names,
                             const char* standard) {
  json::array all;
  std::string expected;
  for (size_t i = 0; i < names.size(); ++i) {
    all.push_back(json::string{names[i]});
    expected.append(i == 0 ? "" : i + 1 < names.size() ? ", " : " or ").append(names[i]);
  }
  auto& entry = declare(name, {{"enum", std::move(all)}}, standard ? json::value(standard) : json::value(nullptr));
  std::string chosen = standard ? standard : "";
  for (auto& g : given(name, entry)) {
    if (!g.value.is_string() || std::find(names.begin(), names.end(), text_of(g)) == names.end()) {
      reader_->complain(g, expected);
      continue;
    }
    chosen = text_of(g);
    entry.settle(json::string{chosen});
  }
  return chosen;
}

} // namespace config
