// What one try of a question to a provider gives, as far as it has been read.
#pragma once

#include "messages/sampling.hpp"
#include "process/growing_text.hpp"
#include "sampling/provider.hpp"
#include "sampling/stream_reader.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

namespace sampling {

/// All that is needed to make an answer of it: read() may be called on another thread.
struct provider_reading {
  provider who = provider::anthropic;
  std::string base_url;
  bool is_stream = false;                              ///< as the question wants it
  std::function<std::string(std::string)> without_key; ///< a provider may quote the key that it was sent
  stream_reader stream;

  // ---- what came, and is to be read next
  std::string bytes;                        ///< of the stream
  process::growing_text body;               ///< as a whole, of what is no stream; read with `reply`
  std::optional<msg::provider_reply> reply; ///< the try has ended

  // ---- what the last read() made of it
  std::string text;                          ///< new in the stream
  msg::outcome<msg::model_answer> outcome{}; ///< with `reply`

  void read();
  /// What read() has to look at.
  size_t unread_bytes() const;
  /// What is kept of all that was read.
  size_t kept_bytes() const { return stream.held_bytes() + outcome.value.text.size(); }
};

} // namespace sampling
