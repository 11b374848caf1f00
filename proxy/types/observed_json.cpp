// Observed shapes as JSON, for storing. A stored text may be damaged or of another version: then it is no shape.
#include "proxy/types/observed.hpp"

#include <boost/json/array.hpp>

#include <array>

// Recursion follows shapes, observed_bounds::depth_max deep.
// NOLINTBEGIN(misc-no-recursion)

namespace types {

namespace json = boost::json;

namespace {

/// In the first two formats there were values of results.
constexpr int64_t format_version = 3;

struct count_name {
  const char* key;
  uint64_t observed_shape::*count;
};
constexpr std::array<count_name, 8> counts{{{"null", &observed_shape::nulls},
                                            {"boolean", &observed_shape::booleans},
                                            {"integer", &observed_shape::integers},
                                            {"number", &observed_shape::numbers},
                                            {"string", &observed_shape::strings},
                                            {"list", &observed_shape::lists},
                                            {"object", &observed_shape::objects},
                                            {"opaque", &observed_shape::opaque}}};

json::object written(const observed_shape& s) {
  json::object out;
  for (auto& c : counts)
    if (s.*c.count > 0)
      out[c.key] = s.*c.count;
  if (is_choice(s)) {
    json::object values;
    for (auto& [text, count] : s.values)
      values[text] = count;
    out["values"] = std::move(values);
    out["results"] = s.results;
  }
  if (s.any_string)
    out["anyString"] = true;
  if (!s.element.empty())
    out["element"] = written(s.element[0]);
  if (!s.fields.empty()) {
    json::object fields;
    for (auto& [name, field] : s.fields)
      fields[name] = json::array{field.present, written(field.of[0])};
    out["fields"] = std::move(fields);
  }
  if (!s.is_record && !s.value.empty())
    out["keyed"] = written(s.value[0]);
  if (s.is_record)
    out["record"] = s.value.empty() ? json::value(nullptr) : json::value(written(s.value[0]));
  return out;
}

/// Remembers whether anything was wrong.
class reading {
public:
  bool failed = false;

  uint64_t count(const json::value* v) {
    if (v && v->is_uint64())
      return v->get_uint64();
    if (v && v->is_int64() && v->get_int64() >= 0)
      return static_cast<uint64_t>(v->get_int64());
    failed = true;
    return 0;
  }

  observed_shape shape(const json::value& v, int depth) {
    observed_shape out;
    auto* object = v.if_object();
    if (!object || depth > observed_bounds::depth_max || ++shapes_ > 2 * observed_bounds::shapes_max) {
      failed = true;
      return out;
    }
    for (auto& c : counts)
      if (auto* number = object->if_contains(c.key))
        out.*c.count = count(number);
    if (auto* values = object_at(*object, "values"))
      for (auto& [text, number] : *values)
        out.values[text] = count(&number);
    if (auto* results = object->if_contains("results"))
      out.results = count(results);
    out.any_string = object->contains("anyString");
    if (auto* element = object->if_contains("element"))
      out.element.push_back(shape(*element, depth + 1));
    read_fields(*object, out, depth);
    if (auto* keyed = object->if_contains("keyed"))
      out.value.push_back(shape(*keyed, depth + 1));
    if (auto* value = object->if_contains("record")) {
      out.is_record = true;
      if (!value->is_null() && out.value.empty())
        out.value.push_back(shape(*value, depth + 1));
    }
    failed =
      failed || out.values.size() > observed_bounds::values_max || out.fields.size() > observed_bounds::fields_max;
    return out;
  }

private:
  const json::object* object_at(const json::object& of, const char* key) {
    auto* v = of.if_contains(key);
    failed = failed || (v && !v->is_object());
    return v ? v->if_object() : nullptr;
  }

  void read_fields(const json::object& object, observed_shape& out, int depth) {
    auto* fields = object_at(object, "fields");
    if (!fields)
      return;
    for (auto& [name, field] : *fields) {
      auto* pair = field.if_array();
      if (!pair || pair->size() != 2 || failed) {
        failed = true;
        return;
      }
      out.fields[name] = {count(&(*pair)[0]), {shape((*pair)[1], depth + 1)}};
    }
  }

  size_t shapes_ = 0;
};

} // namespace

json::value observed::to_json() const {
  return json::object{
    {"format", format_version}, {"samples", samples_}, {"version", version_}, {"shape", written(root_)}};
}

std::optional<observed> observed::from_json(const json::value& stored) {
  auto* object = stored.if_object();
  auto* format = object ? object->if_contains("format") : nullptr;
  auto* shape = object ? object->if_contains("shape") : nullptr;
  if (!format || *format != json::value(format_version) || !shape)
    return {};
  reading in;
  observed out;
  out.samples_ = in.count(object->if_contains("samples"));
  out.version_ = in.count(object->if_contains("version"));
  out.root_ = in.shape(*shape, 0);
  return in.failed ? std::nullopt : std::optional{std::move(out)};
}

} // namespace types

// NOLINTEND(misc-no-recursion)
