// Which heads of requests are answered with a refusal, whatever they are for.
#pragma once

#include "response_text.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace http {

/// As http_parser found it.
struct raw_head {
  std::string method;
  std::string target;
  headers fields; ///< names and values as they were sent
  unsigned major = 1;
  unsigned minor = 1;
};

struct judged_head {
  enum class framing { none, length, chunks };
  enum class continuation { not_asked, asked }; ///< "Expect: 100-continue"

  std::optional<response> refusal; ///< if there is one, the rest is not complete
  request_head head;               ///< without the number of its connection
  answer_form form;
  framing body = framing::none;
  uint64_t body_bytes = 0; ///< of framing::length
  continuation wish = continuation::not_asked;
};

/// The refusals are those of RFC 9112: what two readers could understand in two ways is understood in none.
judged_head judge(raw_head raw);

} // namespace http
