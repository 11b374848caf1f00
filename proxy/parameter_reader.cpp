#include "proxy/parameter_reader.hpp"

#include "text/json_beginning.hpp"
#include "text/utf8.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

namespace proxy {

namespace json = boost::json;

const json::value* parameter_reader::given(std::string_view name) const {
  auto* value = params_.if_contains(name);
  return value && !value->is_null() ? value : nullptr;
}

std::string parameter_reader::text(std::string_view name, size_t bytes_max) {
  return given(name) ? required_text(name, bytes_max) : std::string{};
}

std::string parameter_reader::required_text(std::string_view name, size_t bytes_max) {
  auto* value = params_.if_contains(name);
  if (!value || !value->is_string()) {
    complain(name, "a string", value);
    return {};
  }
  if (auto bytes = value->get_string().size(); bytes > bytes_max) {
    json::value count(bytes);
    complain(name, "at most " + std::to_string(bytes_max) + " bytes", &count);
    return {};
  }
  return std::string{value->get_string()};
}

int64_t parameter_reader::integer_from_0(std::string_view name, int64_t otherwise) {
  auto* value = given(name);
  if (!value)
    return otherwise;
  if (value->is_int64() && value->get_int64() >= 0)
    return value->get_int64();
  complain(name, "an integer from 0", value);
  return otherwise;
}

void parameter_reader::complain(std::string_view name, std::string_view expected, const json::value* given) {
  if (!ok())
    return;
  problem = {msg::errc::invalid_argument,
             std::string{where_} + ": '" + std::string{name} + "' must be " + std::string{expected}};
  if (given)
    problem.message += ", not " + text::quoted(text::json_beginning(*given, 2 * shown_bytes_max), shown_bytes_max);
}

} // namespace proxy
