// The head of an answer as it is sent, and whole answers that are sent without RESTinio.
#pragma once

#include "http/server.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace http {

/// How an answer to that request has to look.
struct answer_form {
  bool has_body = true;    ///< not of HEAD
  bool has_chunks = true;  ///< not in HTTP/1.0
  bool stays_open = false; ///< the client wants to go on
};

/// How the other side finds the end of a body.
enum class body_end { length, chunks, close };

/// What the head says of the connection.
enum class afterwards { keep, close };

/// With the empty line. What would be more than one line of the head, or would be at odds with what the server says
/// itself (Connection, Content-Length, Date, ...), is left out of `answer.fields`; its body is not looked at. A status
/// that is none of an answer (below 200, above 599) becomes 500.
std::string head_text(const response& answer, body_end end, uint64_t length, afterwards then);

/// The last answer on a connection: head and body.
std::string last_answer_text(const response& answer);

/// An answer that says one thing to a person; `sentence` is without a full stop.
response plain_answer(uint16_t status, std::string_view sentence);

/// Whether such an answer has neither a body nor a length.
bool is_bodiless(uint16_t status);

} // namespace http
