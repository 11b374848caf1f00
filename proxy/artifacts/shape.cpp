#include "proxy/artifacts/shape.hpp"

#include "messages/limits.hpp"
#include "text/json_text.hpp"
#include "text/utf8.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <memory>
#include <vector>

namespace artifacts {

namespace json = boost::json;

namespace {

constexpr size_t values_max = 5'000;      ///< looked at in all: less than a millisecond
constexpr size_t shape_elements_max = 60; ///< looked at of one list, evenly spread
constexpr size_t shape_depth_max = 8;
/// More different names than this are the keys of a table, and not fields.
constexpr size_t fields_max = 40;
constexpr size_t name_bytes_max = 60;
/// Texts of this length and more say so.
constexpr uint64_t long_text_bytes = 1'000;

/// All values that were seen in one place.
struct seen_type {
  struct field {
    std::string_view name;
    uint32_t count = 0; ///< objects that have it
    std::unique_ptr<seen_type> type;
  };

  bool has_null = false, has_boolean = false, has_number = false, has_text = false, has_more = false;
  uint64_t text_least = UINT64_MAX, text_most = 0; ///< bytes
  uint32_t lists = 0, objects = 0;
  uint64_t list_least = UINT64_MAX, list_most = 0, object_most = 0;
  std::unique_ptr<seen_type> element; ///< of all lists
  std::vector<field> fields;          ///< of all objects
  std::unique_ptr<seen_type> entry;   ///< of all fields together, once there are too many
};

class looker {
public:
  void look(const json::value& value, seen_type& type, size_t depth) {
    if (values_left_ == 0 || depth == 0) {
      type.has_more = true;
      return;
    }
    --values_left_;
    switch (value.kind()) {
      case json::kind::null: type.has_null = true; break;
      case json::kind::bool_: type.has_boolean = true; break;
      case json::kind::int64:
      case json::kind::uint64:
      case json::kind::double_: type.has_number = true; break;
      case json::kind::string:
        type.has_text = true;
        type.text_least = std::min<uint64_t>(type.text_least, value.get_string().size());
        type.text_most = std::max<uint64_t>(type.text_most, value.get_string().size());
        break;
      case json::kind::array: look_at_list(value.get_array(), type, depth - 1); break;
      case json::kind::object: look_at_object(value.get_object(), type, depth - 1); break;
    }
  }

private:
  void look_at_list(const json::array& list, seen_type& type, size_t depth) {
    ++type.lists;
    type.list_least = std::min<uint64_t>(type.list_least, list.size());
    type.list_most = std::max<uint64_t>(type.list_most, list.size());
    if (list.empty())
      return;
    if (!type.element)
      type.element = std::make_unique<seen_type>();
    auto step = std::max<size_t>(1, list.size() / shape_elements_max);
    for (size_t i = 0; i < list.size() && values_left_ > 0; i += step)
      look(list[i], *type.element, depth);
  }

  void look_at_object(const json::object& object, seen_type& type, size_t depth) {
    ++type.objects;
    type.object_most = std::max<uint64_t>(type.object_most, object.size());
    size_t looked = 0;
    for (auto& [name, value] : object) {
      if (values_left_ == 0 || ++looked > 2 * shape_elements_max)
        break;
      look(value, *place_of(name, type), depth);
    }
  }

  /// Where the type of that field is kept.
  static seen_type* place_of(std::string_view name, seen_type& type) {
    auto found = std::find_if(type.fields.begin(), type.fields.end(), [&](auto& f) { return f.name == name; });
    if (found == type.fields.end() && type.fields.size() < fields_max)
      found = type.fields.insert(type.fields.end(), {name, 0, std::make_unique<seen_type>()});
    if (found != type.fields.end()) {
      ++found->count;
      return found->type.get();
    }
    if (!type.entry)
      type.entry = std::make_unique<seen_type>();
    return type.entry.get();
  }

  size_t values_left_ = values_max;
};

bool is_identifier(std::string_view name) {
  auto fits = [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '$'; };
  return !name.empty() && !std::isdigit(static_cast<unsigned char>(name[0]))
         && std::all_of(name.begin(), name.end(), fits);
}

std::string shown_name(std::string_view name) {
  auto text = text::quoted(name, name_bytes_max);
  return is_identifier(text) ? text : text::to_text(json::value(text));
}

std::string counted(const char* name, uint64_t least, uint64_t most) {
  return std::string{name} + "(" + (least < most ? std::to_string(least) + ".." : "") + std::to_string(most) + ")";
}

std::string written(const seen_type& type, size_t depth);

std::string list_type(const seen_type& type, size_t depth) {
  auto text = counted("Array", type.list_least, type.list_most);
  return type.element ? text + " of " + (depth == 0 ? "..." : written(*type.element, depth - 1)) : text;
}

std::string object_type(const seen_type& type, size_t depth) {
  if (type.entry) // of its fields one stands for all
    return counted("Record", type.object_most, type.object_most) + " of "
           + (depth == 0 ? "..." : written(*type.entry, depth - 1));
  if (depth == 0 && !type.fields.empty())
    return "{...}";
  std::string text = "{";
  for (auto& f : type.fields)
    text += (text.size() > 1 ? ", " : "") + shown_name(f.name) + (f.count < type.objects ? "?: " : ": ")
            + written(*f.type, depth - 1);
  return text + "}";
}

std::string written(const seen_type& type, size_t depth) {
  std::vector<std::string> kinds;
  if (type.objects > 0)
    kinds.push_back(object_type(type, depth));
  if (type.lists > 0)
    kinds.push_back(list_type(type, depth));
  if (type.has_text)
    kinds.push_back(type.text_most >= long_text_bytes ? counted("string", type.text_least, type.text_most) : "string");
  if (type.has_number)
    kinds.emplace_back("number");
  if (type.has_boolean)
    kinds.emplace_back("boolean");
  if (type.has_null)
    kinds.emplace_back("null");
  std::string text;
  for (auto& kind : kinds)
    text += (text.empty() ? "" : " | ") + kind;
  return text.empty() ? "..." : text;
}

} // namespace

std::string shape_of(const json::value& value) {
  seen_type type;
  looker{}.look(value, type, shape_depth_max);
  std::string text;
  for (auto depth = shape_depth_max;; --depth) // less and less of what is deep inside, until it fits
    if (text = written(type, depth); text.size() <= msg::limits::shape_bytes_max || depth == 0)
      break;
  return text::quoted(text, msg::limits::shape_bytes_max);
}

} // namespace artifacts
