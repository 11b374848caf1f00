#include "proxy/surface/toon.hpp"

#include "messages/limits.hpp"
#include "text/json_parse.hpp"

#include <toon/encode.hpp>

namespace surface {

namespace {

/// What is shown has been made to fit before; TOON may quote more of it than JSON does.
constexpr size_t toon_bytes_max = 8 * msg::limits::model_text_chars_max;

} // namespace

std::string toon_text(const boost::json::value& value) {
  toon::encode_options options;
  options.depth_max = text::json_depth_max;
  options.text_bytes_max = toon_bytes_max;
  return toon::encode(value, options).text;
}

} // namespace surface
