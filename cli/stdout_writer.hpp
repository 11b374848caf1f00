// What a verb that runs a loop prints on stdout: on another thread, so that a reader that does not read holds up no
// signal.
#pragma once

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>

#include <atomic>
#include <memory>
#include <string>

namespace cli {

class stdout_writer {
public:
  /// Ends when everything is written: 0, or errno. Once at a time. `worker` may be held up by the reader.
  asio::awaitable<int> write(asio::any_io_executor worker, std::string text);
  /// What is being written is given up within a moment.
  void give_up() { *is_given_up_ = true; }

  /// Whether nobody will ever read what is written: the other end of the pipe is gone.
  static bool is_left();

private:
  std::shared_ptr<std::atomic<bool>> is_given_up_ = std::make_shared<std::atomic<bool>>(false);
};

} // namespace cli
