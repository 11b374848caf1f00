// Writes a recording: lines, in the order in which exchanges end, by a thread of its own.
#pragma once

#include "messages/document.hpp"
#include "messages/errors.hpp"

#include <asio/any_io_executor.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace recording {

/// Bytes of lines that wait to be written; those that come besides are lost, which the file says.
inline constexpr size_t unwritten_bytes_max = size_t{64} << 20;

/// Of one process. Several may write to one file.
class recorder : public std::enable_shared_from_this<recorder> {
public:
  /// Begins the file, or goes on with one that is there: only its owner can read it. `line` does one thing after the
  /// other, on another thread. The fault says why it can not be written.
  static msg::outcome<std::shared_ptr<recorder>> open(const std::string& path, asio::any_io_executor line);
  ~recorder();
  recorder(const recorder&) = delete;
  recorder& operator=(const recorder&) = delete;

  /// See key_of().
  const std::string& salt() const { return salt_; }
  /// A line. Made into text, and written, elsewhere.
  void write(msg::document line);

private:
  recorder(int fd, std::string salt, asio::any_io_executor line)
    : fd_(fd),
      salt_(std::move(salt)),
      line_(std::move(line)) {}
  void append(const std::string& text);

  int fd_;
  std::string salt_;
  asio::any_io_executor line_;
  std::atomic<size_t> unwritten_ = 0;
  std::atomic<uint64_t> lost_ = 0;
  bool has_failed_ = false; ///< on the other thread
};

} // namespace recording
