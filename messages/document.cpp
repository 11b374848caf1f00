#include "messages/document.hpp"

#include "messages/json_parse.hpp"
#include "messages/json_text.hpp"

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
  boost::json::value value;
  if (auto problem = parse_json(text, json_dialect::strict, value); !problem.what.empty())
    return fault{errc::invalid_argument, problem.what + " at byte " + std::to_string(problem.at + 1)};
  return document{std::move(value), text.size()};
}

} // namespace msg
