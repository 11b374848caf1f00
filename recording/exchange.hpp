// One exchange with a server, as a line of a recording has it. docs/recordings.md describes the format.
#pragma once

#include "messages/document.hpp"

#include <boost/json/object.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace recording {

/// Of the format. A reader takes no other.
inline constexpr int format_version = 1;

/// What a server was asked.
struct question {
  std::string server;
  std::string method;
  boost::json::object params; ///< without `_meta`, which is of each hop
  /// Of tools/call the tool; else empty.
  std::string tool() const;
};

/// From the text of a request; `method` is empty if it is none.
question question_of(std::string server, const msg::document& request);

/// Tells questions apart: 16 hexadecimal digits, equal where server, method and parameters are equal as JSON (the order
/// of members, and 1 and 1.0, are no difference). `salt` is that of the file, so that nobody finds out a short secret
/// by trying.
std::string key_of(const question& asked, std::string_view salt);

/// What stands under the name of a secret is one. In lists of tools it is the description of a parameter, and stays.
enum class secret_names : uint8_t { redacted, kept };
secret_names names_in(std::string_view method);

/// With `[redacted]` in the place of secrets: what has the name of one, what `mask` knows, and what looks like one.
boost::json::value without_secrets(const boost::json::value& value, const std::function<std::string(std::string)>& mask,
                                   secret_names names = secret_names::redacted);

/// The line of a fault that was injected above the connection: what the caller got in the place of the server's answer.
/// docs/recordings.md says what is in it.
msg::document fault_line(std::string_view server, const boost::json::object& fault,
                         const std::function<std::string(std::string)>& mask);
/// Of a call that does what an injected text says, whether or not there is such a tool.
msg::document obeyed_line(std::string_view tool, std::string_view canary);

} // namespace recording
