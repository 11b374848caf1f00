#include "config/yaml_text.hpp"

#include "messages/limits.hpp"
#include "text/json_parse.hpp"
#include "text/json_text.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <yaml.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace config {

namespace json = boost::json;
namespace limits = msg::limits;

namespace {

/// A long text counts as so many values of this length.
constexpr size_t bytes_of_a_value = 16;

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

/// What a text without quotes means.
json::value plain_value(std::string_view text) {
  if (is_one_of(text, {"", "~", "null", "Null", "NULL"}))
    return nullptr;
  if (is_one_of(text, {"true", "True", "TRUE"}))
    return true;
  if (is_one_of(text, {"false", "False", "FALSE"}))
    return false;
  auto *begin = text.data(), *end = text.data() + text.size();
  int64_t integer = 0;
  if (auto [at, error] = std::from_chars(begin, end, integer);
      error == std::errc{} && at == end && std::to_string(integer) == text)
    return integer;
  double number = 0;
  auto [at, error] = std::from_chars(begin, end, number, std::chars_format::fixed);
  if (error == std::errc{} && at == end && text::to_text(json::value(number)) == text)
    return number;
  return json::string{text};
}

/// The next event, freed with it.
class event {
public:
  event() = default;
  event(const event&) = delete;
  event& operator=(const event&) = delete;
  ~event() { yaml_event_delete(&e_); }

  bool read(yaml_parser_t& parser) { return yaml_parser_parse(&parser, &e_) != 0; }
  yaml_event_type_t type() const { return e_.type; }
  const yaml_event_t* operator->() const { return &e_; }
  std::string_view text() const { return {reinterpret_cast<const char*>(e_.data.scalar.value), e_.data.scalar.length}; }
  bool is_plain() const {
    return e_.data.scalar.plain_implicit != 0 && e_.data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
  }
  std::string anchor() const {
    auto* name = e_.type == YAML_ALIAS_EVENT            ? e_.data.alias.anchor
                 : e_.type == YAML_SCALAR_EVENT         ? e_.data.scalar.anchor
                 : e_.type == YAML_SEQUENCE_START_EVENT ? e_.data.sequence_start.anchor
                 : e_.type == YAML_MAPPING_START_EVENT  ? e_.data.mapping_start.anchor
                                                        : nullptr;
    return name ? reinterpret_cast<const char*>(name) : "";
  }

private:
  yaml_event_t e_{};
};

/// How many values there are in it, long texts counted as several.
size_t weight(const json::value& value) {
  size_t out = 1;
  if (auto* text = value.if_string())
    out += text->size() / bytes_of_a_value;
  if (auto* list = value.if_array())
    for (auto& inner : *list)
      out += weight(inner);
  if (auto* object = value.if_object())
    for (auto& [key, inner] : *object)
      out += weight(inner) + key.size() / bytes_of_a_value;
  return out;
}

class reader {
public:
  explicit reader(std::string_view text) : text_(text) {
    if (yaml_parser_initialize(&parser_) == 0)
      throw std::bad_alloc{};
    yaml_parser_set_encoding(&parser_, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(text.data()), text.size());
  }
  reader(const reader&) = delete;
  reader& operator=(const reader&) = delete;
  ~reader() { yaml_parser_delete(&parser_); }

  text::json_problem read(json::value& to, json_positions& positions) {
    for (size_t documents = 0; problem_.what.empty();) {
      event e;
      if (!next(e) || e.type() == YAML_STREAM_END_EVENT)
        break;
      if (e.type() == YAML_DOCUMENT_START_EVENT && ++documents > 1)
        complain(e, "a second document; there must be one only");
      if (is_node(e))
        to = node(e, "", 1);
    }
    positions = find_positions(text_, std::move(marks_).take());
    return std::move(problem_);
  }

private:
  static bool is_node(const event& e) {
    return e.type() == YAML_ALIAS_EVENT || e.type() == YAML_SCALAR_EVENT || e.type() == YAML_SEQUENCE_START_EVENT
           || e.type() == YAML_MAPPING_START_EVENT;
  }

  void complain_at(const yaml_mark_t& mark, std::string what) {
    if (problem_.what.empty())
      problem_ = {std::move(what), offset_of(text_, mark.line + 1, mark.column + 1)};
  }
  void complain(const event& e, std::string what) { complain_at(e->start_mark, std::move(what)); }

  void mark(const event& e, const std::string& path) {
    marks_.add(e->start_mark.line + 1, e->start_mark.column + 1, path);
  }

  /// False: there is a problem.
  bool next(event& e) {
    if (!problem_.what.empty())
      return false;
    if (e.read(parser_))
      return true;
    std::string what = parser_.problem ? parser_.problem : "it can not be read";
    if (parser_.error == YAML_READER_ERROR)
      problem_ = {what, std::min(parser_.problem_offset, text_.size())};
    else
      complain_at(parser_.problem_mark, parser_.context ? what + " " + parser_.context : what);
    return false;
  }

  bool spend(const event& e, size_t values) {
    spent_ += values;
    if (spent_ > limits::config_typed_values_max)
      complain(e, "more than " + std::to_string(limits::config_typed_values_max)
                    + " values, aliases counted by what they stand for");
    return problem_.what.empty();
  }

  json::value node(const event& e, const std::string& path, size_t depth) {
    if (depth > text::json_depth_max)
      complain(e, "nested too deeply");
    if (e.type() == YAML_ALIAS_EVENT)
      return alias(e);
    json::value out;
    if (e.type() == YAML_SCALAR_EVENT)
      out = scalar(e);
    else if (e.type() == YAML_SEQUENCE_START_EVENT)
      out = sequence(path, depth);
    else
      out = mapping(path, depth);
    if (auto name = e.anchor(); !name.empty() && spend(e, weight(out)))
      anchors_.insert_or_assign(std::move(name), out);
    return out;
  }

  json::value alias(const event& e) {
    auto found = anchors_.find(e.anchor());
    if (found == anchors_.end())
      return complain(e, "an alias of an unknown anchor"), nullptr;
    return spend(e, weight(found->second)) ? found->second : nullptr;
  }

  json::value scalar(const event& e) {
    spend(e, 1 + e.text().size() / bytes_of_a_value);
    return e.is_plain() ? plain_value(e.text()) : json::value(json::string{e.text()});
  }

  json::value sequence(const std::string& path, size_t depth) {
    json::array out;
    for (;;) {
      event e;
      if (!next(e) || e.type() == YAML_SEQUENCE_END_EVENT)
        return out;
      auto where = item_path(path, out.size());
      mark(e, where);
      out.push_back(node(e, where, depth + 1));
    }
  }

  json::value mapping(const std::string& path, size_t depth) {
    json::object out;
    json::array merged;
    for (;;) {
      event key, value;
      if (!next(key) || key.type() == YAML_MAPPING_END_EVENT)
        return merge(merged, out), out;
      if (key.type() != YAML_SCALAR_EVENT)
        return complain(key, "a key that is no text"), nullptr;
      auto where = member_path(path, key.text());
      mark(key, where);
      if (!spend(key, 1 + key.text().size() / bytes_of_a_value) || !next(value))
        return nullptr;
      auto inner = node(value, where, depth + 1);
      if (key.is_plain() && key.text() == "<<")
        merged.push_back(std::move(inner));
      else if (!out.emplace(key.text(), std::move(inner)).second)
        complain(key, "a key that is given twice");
    }
  }

  /// Keys of `<<: *other`, or of a list of others, as far as they are not given.
  static void merge(const json::array& merged, json::object& to) {
    for (auto& from : merged) {
      if (auto* object = from.if_object())
        for (auto& [key, value] : *object)
          to.emplace(key, value);
      if (auto* list = from.if_array())
        merge(*list, to);
    }
  }

  std::string_view text_;
  text_marks marks_;
  yaml_parser_t parser_{};
  std::map<std::string, json::value> anchors_;
  size_t spent_ = 0;
  text::json_problem problem_;
};

} // namespace

text::json_problem parse_yaml(std::string_view text, json::value& out, json_positions& positions) {
  return reader{text}.read(out, positions);
}

} // namespace config
