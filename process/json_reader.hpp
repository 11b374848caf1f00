// Reads JSON messages from a descriptor, one after the other.
#pragma once

#include "messages/document.hpp"
#include "process/framing.hpp"

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/posix/stream_descriptor.hpp>

#include <memory>
#include <string>

namespace process {

struct json_event {
  enum class kind : uint8_t {
    message,   ///< `value`
    malformed, ///< `text`: the bytes, at most a quote of them; `problem`: what is wrong with them
    too_long,  ///< a message over the bound; the rest of a line has been skipped
    end,       ///< no more; `problem` is empty at an orderly end of file
  };
  kind what = kind::end;
  msg::document value;
  std::string text;
  std::string problem;
};

class json_reader {
public:
  /// `worker` parses what is large. The descriptor is shared with a writer if it is a socket.
  json_reader(std::shared_ptr<asio::posix::stream_descriptor> from, asio::any_io_executor worker, framing kind, size_t bytes_max);

  /// Never throws; after `end` it must not be called again.
  asio::awaitable<json_event> next();

private:
  asio::awaitable<json_event> parsed();

  std::shared_ptr<asio::posix::stream_descriptor> from_;
  asio::any_io_executor worker_;
  deframer deframer_;
  std::string chunk_;
};

} // namespace process
