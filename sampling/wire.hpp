// The wire formats, one file each: what they have in common. For the sources of this folder only.
#pragma once

#include "sampling/answer_builder.hpp"
#include "sampling/provider.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <string_view>
#include <vector>

namespace sampling {

/// What a request is made of.
struct request_parts {
  provider who;
  std::string_view base_url; ///< without a slash at its end
  std::string_view key;
  const msg::model_request& request;
};

struct wire_format {
  provider_http_request (*question)(const request_parts& parts);
  /// Takes what a whole response has. False: it is no answer in this format.
  bool (*take_whole)(const boost::json::value& body, answer_builder& to);
  /// One event of a stream; what it does not know it skips.
  void (*take_event)(const boost::json::value& event, answer_builder& to);
};

extern const wire_format anthropic_format;
extern const wire_format openai_format;
extern const wire_format gemini_format;
const wire_format& format_of(provider who);

/// Something follows its host and port.
bool has_path(std::string_view base_url);
/// The headers of every request; the ones of the format follow.
std::vector<http_header> common_headers(const msg::model_request& request);
/// Of an offered tool; every provider wants the `type` to be there.
boost::json::object schema_of(const msg::offered_tool& tool);

} // namespace sampling
