#include "proxy/types/docs.hpp"

#include "proxy/types/bounds.hpp"
#include "text/json_text.hpp"

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

namespace types {

namespace json = boost::json;

namespace {

constexpr size_t value_bytes_max = 60; ///< of a default, an example, a pattern
constexpr size_t examples_max = 2;
constexpr int quoted_levels_max = 3; ///< looked into of a value that is to be quoted

bool is_short(const json::value& v, int levels = quoted_levels_max) { // NOLINT(misc-no-recursion): quoted_levels_max
  if (auto* text = v.if_string())
    return text->size() <= value_bytes_max;
  if (v.is_structured() && levels == 0)
    return false;
  if (auto* array = v.if_array()) {
    bool all = array->size() <= value_bytes_max / 2;
    for (size_t i = 0; all && i < array->size(); ++i)
      all = is_short((*array)[i], levels - 1);
    return all;
  }
  if (auto* object = v.if_object()) {
    bool all = object->size() <= value_bytes_max / 4;
    for (auto field = object->begin(); all && field != object->end(); ++field)
      all = field->key().size() <= value_bytes_max && is_short(field->value(), levels - 1);
    return all;
  }
  return true;
}

/// As JSON; empty: too long for a note.
std::string shown(const json::value& v) {
  auto text = is_short(v) ? text::to_text(v) : std::string{};
  return text.size() <= value_bytes_max ? text : std::string{};
}

class notes {
public:
  explicit notes(const json::object& schema) : schema_(schema) {}

  void flag(std::string_view key) {
    if (auto* v = schema_.if_contains(key); v && *v == json::value(true))
      add(std::string{key});
  }
  void value(std::string_view key, std::string_view label) {
    if (auto* v = schema_.if_contains(key); v && !v->is_null())
      if (auto text = shown(*v); !text.empty())
        add(std::string{label}.append(" ").append(text));
  }
  void word(std::string_view key) {
    auto* v = schema_.if_contains(key);
    if (v && v->is_string() && !v->get_string().empty() && v->get_string().size() <= value_bytes_max)
      add(std::string{key}.append(" ").append(one_line(v->get_string(), value_bytes_max)));
  }
  void range(std::string_view low, std::string_view high, std::string_view of) {
    auto from = number(low), to = number(high);
    if (!from.empty() && !to.empty())
      add(from + ".." + to + std::string{of});
    else if (!from.empty())
      add("at least " + from + std::string{of});
    else if (!to.empty())
      add("at most " + to + std::string{of});
  }
  /// The first of a list.
  void some(std::string_view key, std::string_view label, size_t more_than = 0) {
    auto* v = schema_.if_contains(key);
    auto* list = v ? v->if_array() : nullptr;
    if (!list || list->size() <= more_than)
      return;
    std::string found;
    for (size_t i = 0, taken = 0; i < std::min(list->size(), 4 * examples_max) && taken < examples_max; ++i)
      if (auto text = shown((*list)[i]); !text.empty()) {
        found += (taken++ > 0 ? ", " : "") + text;
      }
    if (!found.empty())
      add(std::string{label}.append(" ").append(found));
  }

  std::string joined;

private:
  void add(const std::string& note) { joined += (joined.empty() ? "" : "; ") + one_line(note, 3 * value_bytes_max); }
  std::string number(std::string_view key) {
    auto* v = schema_.if_contains(key);
    return v && v->is_number() ? text::to_text(*v) : std::string{};
  }

  const json::object& schema_;
};

} // namespace

std::string one_line(std::string_view text, size_t bytes_max) {
  std::string out;
  bool gap = false;
  for (char c : text) {
    auto byte = static_cast<unsigned char>(c);
    if (byte <= ' ' || byte == 0x7f) {
      gap = !out.empty();
      continue;
    }
    bool starts = (byte & 0xC0) != 0x80; // a character
    if (starts && out.size() + 4 > bytes_max)
      return out + "...";
    if (std::exchange(gap, false))
      out += ' ';
    out += c;
  }
  return out;
}

std::string doc_of(const json::object& schema) {
  std::string out;
  if (auto* text = schema.if_contains("description"); text && text->is_string())
    out = one_line(text->get_string(), bounds::doc_bytes_max);
  notes n{schema};
  n.flag("deprecated");
  n.value("default", "default");
  n.word("format");
  n.range("minimum", "maximum", "");
  n.range("exclusiveMinimum", "exclusiveMaximum", " exclusive");
  n.value("multipleOf", "multiple of");
  n.range("minLength", "maxLength", " characters");
  n.word("pattern");
  n.range("minItems", "maxItems", " items");
  n.some("examples", "e.g.");
  n.value("example", "e.g.");
  n.some("enum", "such as", bounds::literals_max);
  if (n.joined.empty())
    return out;
  return out.empty() ? n.joined : out + " (" + n.joined + ")";
}

} // namespace types
