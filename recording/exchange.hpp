// One exchange with a server, as a line of a recording has it. docs/recordings.md describes the format.
#pragma once

#include "messages/document.hpp"
#include "messages/limits.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace recording {

/// Of the format. A reader takes no other.
inline constexpr int format_version = 1;

/// Takes the secrets of a server out of a text; never empty.
using mask_of_texts = std::function<std::string(std::string)>;

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

/// In the place of what is redacted.
inline constexpr std::string_view redacted_text = "[redacted]";

/// JSON in a text that takes more memory than that is not parsed, as a program gets it as a text too. Nobody knows what
/// in it has the name of a secret, so it is not kept.
inline constexpr uint64_t inner_held_bytes_max = msg::limits::run_held_bytes_max;

/// With `[redacted]` in the place of secrets: what has the name of one, what `mask` knows, and what looks like one. The
/// members stay in their order; of those whose names are masked alike the second is `*** 2`. In the place of JSON in a
/// text that takes more than inner_held_bytes_max stands `[redacted]` and how long it was.
boost::json::value without_secrets(const boost::json::value& value, const mask_of_texts& mask,
                                   secret_names names = secret_names::redacted);

/// Whether something in that text was redacted or masked.
bool has_mark(std::string_view text);

using leaf_visitor =
  std::function<void(const std::string& path, const boost::json::value& real, const boost::json::value& shown)>;
/// Of two values of the same shape, such as one and what is shown of it: each pair that is no object or array, and
/// where it is: `/arguments/list/0`. Where they have other shapes they are a pair. `path`: of both.
void for_each_leaf(const boost::json::value& real, const boost::json::value& shown, std::string& path,
                   const leaf_visitor& of);
/// Tells what was redacted at a place from other values: 16 hexadecimal digits.
std::string digest_of(const std::string& path, const boost::json::value& real, std::string_view salt);
/// Of all that is not shown as it is.
boost::json::array digests_of_redacted(const boost::json::value& real, const boost::json::value& shown,
                                       std::string_view salt);

/// An exchange that has ended.
struct ended_exchange {
  question asked;
  double milliseconds = 0;
  msg::document answer; ///< the message; null: none came
  std::string lost;     ///< how the connection ended instead; empty: it did not
  msg::spelling numbers = msg::spelling::ours;
};
/// Its line, without secrets. As long as a walk over all of it takes: a second for some MiB.
std::string exchange_line(const ended_exchange& what, const mask_of_texts& mask, std::string_view salt);
/// Of what a server has said by itself, likewise.
std::string notification_line(std::string_view server, const msg::document& message, const mask_of_texts& mask,
                              msg::spelling numbers);

/// The line of a fault that was injected above the connection: what the caller got in the place of the server's answer.
/// docs/recordings.md says what is in it.
msg::document fault_line(std::string_view server, const boost::json::object& fault, const mask_of_texts& mask);
/// Of a call that does what an injected text says, whether or not there is such a tool.
msg::document obeyed_line(std::string_view tool, std::string_view canary);

} // namespace recording
