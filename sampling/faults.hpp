// What went wrong with a provider, said so that one knows what to do next.
#pragma once

#include "messages/errors.hpp"
#include "sampling/provider.hpp"
#include "sampling/retry.hpp"

#include <string>
#include <string_view>

namespace boost::json {
class value;
}

namespace sampling {

/// What a provider says of its error, whichever of the formats that are in use it has.
struct said_error {
  std::string message;         ///< bounded, without what looks like a key; empty: nothing that can be read
  std::string kind;            ///< "rate_limit_error", "RESOURCE_EXHAUSTED"; empty: none
  int status = 0;              ///< that the body names, or that its kind stands for; 0: neither
  uint32_t retry_after_ms = 0; ///< 0: it does not say
};
said_error error_in(const boost::json::value& body);
/// The same of a body that may be no JSON: of HTML the title, of other text its beginning.
said_error error_in_text(std::string_view body);

/// `status`: 0 within a stream.
msg::fault provider_fault(provider who, int status, const said_error& said);

/// Of a request that got no answer. `base_url` as it was asked; of `detail` (curl's) a part is quoted.
msg::fault transport_fault(provider who, std::string_view base_url, transport how, std::string_view detail);

/// UTF-8 of at most `said_bytes_max` bytes on one line, with `[removed]` in the place of words that look like keys.
/// Names of models and tools stay.
std::string told(std::string_view said);

} // namespace sampling
