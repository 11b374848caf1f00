// What a program prints, on stderr as it comes: stdout has its result alone.
#pragma once

#include "cli/stderr_writer.hpp"
#include "sandbox/launch/guest.hpp"

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

namespace cli {

/// As it is; on a terminal what does something to it is only shown, but for ends of lines and tabs.
std::string shown_to(int descriptor, std::string_view text);

/// On the loop's thread.
class program_output {
public:
  program_output(const asio::any_io_executor& executor, std::shared_ptr<stderr_writer> to);

  /// For the guests. A program that prints faster than stderr is read waits for it.
  sandbox::output_listener listener();
  /// A text of ours: begins and ends a line, and does nothing to a terminal.
  void note(std::string_view text);
  /// Nothing more is written: nobody wants to know.
  void mute() { is_muted_ = true; }
  /// The program prints no more. Ends when all is written, or nobody reads for so long.
  asio::awaitable<void> until_written(std::chrono::milliseconds patience);

private:
  void take(std::string_view printed);
  void write(std::string_view text);
  asio::awaitable<void> until_less_waits(size_t bytes, std::chrono::milliseconds patience);

  asio::any_io_executor executor_;
  std::shared_ptr<stderr_writer> to_;
  std::string cut_; ///< the beginning of a character whose end has not come yet; on a terminal only
  bool is_terminal_, is_muted_ = false;
  bool is_in_line_ = false; ///< the last byte was no end of a line
};

} // namespace cli
