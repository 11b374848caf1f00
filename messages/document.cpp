#include "messages/document.hpp"

#include "messages/json_parse.hpp"
#include "messages/json_text.hpp"
#include "messages/limits.hpp"

#include <boost/json/value.hpp>

namespace msg {

document::document(boost::json::value value, size_t text_bytes)
  : value_(std::make_shared<const boost::json::value>(std::move(value))),
    text_bytes_(text_bytes) {}

const boost::json::value& document::value() const {
  static const boost::json::value null;
  return value_ ? *value_ : null;
}

document document::part(const boost::json::value& inner) const {
  document out;
  out.value_ = std::shared_ptr<const boost::json::value>{value_, &inner};
  out.text_bytes_ = text_bytes_; // an upper bound
  return out;
}

std::string document::text() const { return msg::to_text(value()); }

outcome<document> document::parse(std::string_view text) {
  boost::json::parse_options options;
  options.max_depth = limits::json_depth_max;
  auto parsed = parse_json(text, options);
  if (parsed.error)
    return fault{errc::invalid_argument, parsed.error.message() + " at byte " + std::to_string(parsed.read + 1)};
  return document{std::move(parsed.value), text.size()};
}

} // namespace msg
