#include "sampling/json_fields.hpp"

#include <algorithm>
#include <cmath>

namespace sampling {

namespace json = boost::json;

const json::value* field(const json::value& in, std::string_view key) {
  auto* object = in.if_object();
  auto* found = object ? object->if_contains(key) : nullptr;
  return found && !found->is_null() ? found : nullptr;
}

const json::object* object_field(const json::value& in, std::string_view key) {
  auto* found = field(in, key);
  return found ? found->if_object() : nullptr;
}

const json::array& array_field(const json::value& in, std::string_view key) {
  static const json::array none;
  auto* found = field(in, key);
  auto* array = found ? found->if_array() : nullptr;
  return array ? *array : none;
}

std::string_view text_field(const json::value& in, std::string_view key) {
  auto* found = field(in, key);
  auto* text = found ? found->if_string() : nullptr;
  return text ? std::string_view{*text} : std::string_view{};
}

std::optional<uint32_t> count_field(const json::value& in, std::string_view key) {
  auto* found = field(in, key);
  if (!found || !found->is_number())
    return std::nullopt;
  double number = found->is_double()  ? found->get_double()
                  : found->is_int64() ? double(found->get_int64())
                                      : double(found->get_uint64());
  bool is_count = number >= 0 && std::trunc(number) == number;
  if (!is_count)
    return std::nullopt;
  return static_cast<uint32_t>(std::min(number, double(UINT32_MAX)));
}

} // namespace sampling
