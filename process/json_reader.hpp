// Reads JSON messages from a descriptor, one after the other.
#pragma once

#include "messages/document.hpp"
#include "process/framing.hpp"

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/posix/stream_descriptor.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace process {

struct json_event {
  enum class kind : uint8_t {
    message, ///< `value`
    /// `text`: the bytes, at most a quote of them; `problem`: what is wrong with them; `value`: what can be told.
    malformed,
    too_long, ///< a message over the bound; the rest of a line has been skipped; `value` as of a malformed one
    unread,   ///< a message that could not be parsed for want of memory; `problem` says so
    end,      ///< no more; `problem` is empty at an orderly end of file
  };
  kind what = kind::end;
  /// Of a malformed message, or a line that is too long: an object with its "id" and "method", as far as they are sure,
  /// and short; null: neither is.
  msg::document value;
  std::string text;
  std::string problem;
  bool is_cut_off = false; ///< of the end: it came within a message
};

/// One message that is there as a whole, as a reader tells it. `worker` parses what is large; `text` stays until then.
/// `held_max`: see json_reader::hold_at_most(). Never throws.
asio::awaitable<json_event> read_json_message(asio::any_io_executor worker, std::string_view text, uint64_t held_max,
                                              msg::spelling text_is = msg::spelling::ours);

class json_reader {
public:
  /// `worker` parses what is large. The descriptor is shared with a writer if it is a socket.
  json_reader(std::shared_ptr<asio::posix::stream_descriptor> from, asio::any_io_executor worker, framing kind,
              size_t bytes_max);

  /// A message that would take more memory than that is `unread`; 0, as at the beginning: any is read.
  void hold_at_most(uint64_t bytes_max) { held_max_ = bytes_max; }
  /// Of messages that come from now on.
  void keep_spelling(msg::spelling text_is) { text_is_ = text_is; }

  /// Memory of what has come in and was not read to its end.
  uint64_t held_bytes() const { return deframer_.held_bytes(); }
  /// `changed` is called when that has changed.
  void watch_held(std::function<void()> changed) { changed_ = std::move(changed); }

  /// Never throws; after `end` it must not be called again.
  asio::awaitable<json_event> next();

private:
  asio::awaitable<json_event> ended(asio::error_code ec);
  void tell_held();

  std::shared_ptr<asio::posix::stream_descriptor> from_;
  asio::any_io_executor worker_;
  uint64_t held_max_ = 0;
  uint64_t held_told_ = 0;
  msg::spelling text_is_ = msg::spelling::ours;
  std::function<void()> changed_;
  deframer deframer_;
  std::string chunk_;
};

} // namespace process
