#include "messages/document.hpp"

#include "messages/json_text.hpp"
#include "messages/limits.hpp"

#include <boost/json/parser.hpp>
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
  boost::json::parser parser{{}, options};
  boost::json::error_code ec;
  auto read = parser.write_some(text, ec); // stops behind the value
  auto rest = text.find_first_not_of(" \t\r\n", read);
  if (!ec && rest != text.npos) {
    ec = boost::json::error::extra_data;
    read = rest;
  }
  if (ec)
    return fault{errc::invalid_argument, ec.message() + " at byte " + std::to_string(read + 1)};
  return document{parser.release(), text.size()};
}

} // namespace msg
