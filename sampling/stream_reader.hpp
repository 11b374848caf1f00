// An answer that comes as a stream of server-sent events, put together from its pieces.
#pragma once

#include "http/event_stream.hpp"
#include "sampling/answer_builder.hpp"
#include "sampling/provider.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace sampling {

/// For the body of one response with status 200; others go to answer_of().
class stream_reader {
public:
  explicit stream_reader(provider who);

  /// Gives the text that is new, whole characters; it may be empty. `bytes` may begin and end anywhere.
  std::string feed(std::string_view bytes);

  /// The answer is complete, or there will be none: further bytes are ignored, and the connection may be closed.
  bool done() const;

  /// To be called once, when the body has ended or done() is true. The whole answer, its text being all that feed()
  /// gave; or why there is none: an error that the provider sent within the stream, what is no such stream, or a stream
  /// that ended before the answer did. A server that answered with one JSON object instead of a stream has its answer
  /// taken all the same; feed() gave nothing of it. Beside a fault stands what came before it.
  msg::outcome<msg::model_answer> finish();

  /// That wait for what follows them: the next feed() or finish() looks at them too.
  size_t unread_bytes() const { return whole_.size() + events_.waiting_bytes(); }
  /// That came and are a part of no text, tool or usage.
  size_t refused_bytes() const { return refused_bytes_ + unread_bytes(); }

  /// All that it keeps.
  size_t held_bytes() const { return events_.waiting_bytes() + builder_.text().size() + whole_.size(); }

  /// That fault, and beside it what came before it.
  msg::outcome<msg::model_answer> failed(msg::fault why) const;

private:
  void take(const http::stream_event& event);
  void refuse(size_t bytes);

  provider who_;
  http::event_stream_parser events_;
  answer_builder builder_;
  std::string whole_;                ///< of a body that is no stream
  std::optional<bool> is_stream_;    ///< none: nothing but white space came yet
  size_t blank_bytes_ = 0;           ///< of that
  size_t refused_bytes_ = 0;         ///< of what is ignored, but not because the answer is complete
  std::optional<msg::fault> broken_; ///< and nothing more is looked at
};

} // namespace sampling
