#include "config/edits/value_text.hpp"

#include "text/json_text.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <initializer_list>

namespace edits {

namespace json = boost::json;

namespace {

constexpr std::string_view small_letters = "abcdefghijklmnopqrstuvwxyz";
constexpr std::string_view bare_key_characters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr std::string_view plain_characters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_./@+";
/// What some reader of YAML takes for something else.
constexpr std::string_view yaml_words[] = {"true", "false", "null", "yes", "no", "on", "off", "y", "n"};

bool is_made_of(std::string_view text, std::string_view characters) {
  return !text.empty() && text.find_first_not_of(characters) == text.npos;
}

std::string quoted(std::string_view text) { return text::to_text(json::value(json::string{text})); }

bool is_plain(const json::value& value) {
  return !(value.is_object() && !value.get_object().empty()) && !(value.is_array() && !value.get_array().empty());
}

bool is_one_line(const json::value& value) {
  auto* list = value.if_array();
  return is_plain(value) || (list && std::all_of(list->begin(), list->end(), is_plain));
}

text_style deeper(text_style style) {
  style.indent += style.unit;
  return style;
}

template <class Each, class Text>
std::string joined(const Each& each, const Text& text) {
  std::string out;
  for (auto& one : each)
    out.append(out.empty() ? "" : ", ").append(text(one));
  return out;
}

} // namespace

std::string json_line(const json::value& value) {
  if (auto* list = value.if_array())
    return "[" + joined(*list, json_line) + "]";
  if (auto* object = value.if_object())
    return "{" + joined(*object, [](auto& m) { return quoted(m.key()) + ": " + json_line(m.value()); }) + "}";
  return text::to_text(value);
}

std::string json_text(const json::value& value, const text_style& style) {
  if (is_one_line(value))
    return json_line(value);
  auto inner = deeper(style);
  std::string out;
  auto begin_item = [&] { out += (out.empty() ? "" : ",") + style.newline + inner.indent; };
  if (auto* list = value.if_array())
    for (auto& item : *list) {
      begin_item();
      out += json_text(item, inner);
    }
  if (auto* object = value.if_object())
    for (auto& [key, member] : *object) {
      begin_item();
      out += quoted(key) + ": " + json_text(member, inner);
    }
  out += style.newline + style.indent;
  return value.is_array() ? "[" + out + "]" : "{" + out + "}";
}

std::string toml_key(std::string_view key) {
  return is_made_of(key, bare_key_characters) ? std::string{key} : quoted(key);
}

std::string toml_line(const json::value& value) {
  if (auto* list = value.if_array())
    return "[" + joined(*list, toml_line) + "]";
  if (auto* object = value.if_object())
    return "{" + joined(*object, [](auto& m) { return toml_key(m.key()) + " = " + toml_line(m.value()); }) + "}";
  return text::to_text(value);
}

std::string yaml_scalar(const json::value& value) {
  auto* text = value.if_string();
  if (!text)
    return json_line(value);
  std::string_view plain{*text};
  std::string lower{plain};
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; });
  bool is_certain = is_made_of(plain, plain_characters)
                    && (plain.front() == '/' || small_letters.find(lower.front()) != std::string_view::npos)
                    && std::find(std::begin(yaml_words), std::end(yaml_words), lower) == std::end(yaml_words);
  return is_certain ? std::string{plain} : quoted(plain);
}

std::string yaml_member(std::string_view key, const json::value& value, const text_style& style) {
  auto begin = style.indent + yaml_scalar(json::string{key}) + ":";
  if (is_one_line(value))
    return begin + " " + yaml_scalar(value) + style.newline;
  auto out = begin + style.newline;
  if (auto* list = value.if_array())
    for (auto& item : *list)
      out += item.is_object() ? yaml_item(item.get_object(), deeper(style))
                              : style.indent + style.unit + "- " + json_line(item) + style.newline;
  if (auto* object = value.if_object())
    for (auto& [inner_key, inner] : *object)
      out += yaml_member(inner_key, inner, deeper(style));
  return out;
}

std::string yaml_item(const json::object& item, const text_style& style) {
  text_style inner = style;
  inner.indent += "  ";
  std::string out;
  for (auto& [key, value] : item)
    out += yaml_member(key, value, inner);
  if (!out.empty())
    out[style.indent.size()] = '-';
  return out.empty() ? style.indent + "- {}" + style.newline : out;
}

} // namespace edits
