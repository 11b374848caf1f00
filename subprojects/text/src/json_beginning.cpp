#include "text/json_beginning.hpp"

#include "text/json_text.hpp"
#include "text/utf8.hpp"

#include <boost/json/serializer.hpp>
#include <boost/json/value.hpp>

namespace text {

std::string json_beginning(const boost::json::value& value, size_t bytes_max) {
  if (auto* string = value.if_string(); string && string->size() > bytes_max)
    return to_text(boost::json::value(string->subview(0, bytes_max)));
  if (!value.is_structured())
    return to_text(value);
  boost::json::serializer serializer;
  serializer.reset(&value);
  std::string text(bytes_max, '\0');
  text.resize(serializer.read(text.data(), text.size()).size());
  return text;
}

std::string quoted_json(const boost::json::value& value, size_t bytes_max) {
  return quoted(json_beginning(value, bytes_max), bytes_max);
}

} // namespace text
