#include "cli/program_output.hpp"

#include "process/no_throw.hpp"
#include "text/printable.hpp"

#include <asio/steady_timer.hpp>

#include <algorithm>
#include <unistd.h>
#include <utility>

namespace cli {

namespace {

/// Then the program waits. Two chunks of a guest's, and what it prints at its end, come on top.
constexpr size_t unwritten_bytes_max = 1u << 20;
constexpr std::chrono::milliseconds look_pause{5};
constexpr size_t character_bytes_max = 4;

std::string harmless(std::string_view text) {
  std::string out;
  for (;;) {
    auto end = std::min(text.find('\n'), text.size());
    auto line = text.substr(0, end);
    bool has_return = line.ends_with('\r') && end < text.size();
    out += text::printable(has_return ? line.substr(0, line.size() - 1) : line);
    if (end == text.size())
      return out;
    out += '\n';
    text.remove_prefix(end + 1);
  }
}

/// Bytes at the end that begin a character and do not end it.
size_t cut_bytes(std::string_view text) {
  for (size_t n = 1; n < character_bytes_max && n <= text.size(); ++n) {
    auto byte = static_cast<unsigned char>(text[text.size() - n]);
    if ((byte & 0xC0) == 0x80)
      continue;
    size_t whole = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1;
    return whole > n ? n : 0;
  }
  return 0;
}

} // namespace

std::string shown_to(int descriptor, std::string_view text) {
  return ::isatty(descriptor) == 1 ? harmless(text) : std::string{text};
}

program_output::program_output(const asio::any_io_executor& executor, std::shared_ptr<stderr_writer> to)
  : executor_(executor),
    to_(std::move(to)),
    is_terminal_(::isatty(STDERR_FILENO) == 1) {}

sandbox::output_listener program_output::listener() {
  return {[this](std::string_view printed) { take(printed); },
          [this] { return until_less_waits(unwritten_bytes_max, std::chrono::milliseconds::max()); }};
}

void program_output::write(std::string_view text) {
  if (text.empty() || is_muted_)
    return;
  is_in_line_ = !text.ends_with('\n');
  to_->push_whole(text);
}

void program_output::take(std::string_view printed) {
  if (!is_terminal_)
    return write(printed);
  auto text = std::exchange(cut_, {}).append(printed);
  cut_ = text.substr(text.size() - cut_bytes(text));
  text.resize(text.size() - cut_.size());
  write(harmless(text));
}

void program_output::note(std::string_view text) {
  write(harmless(std::exchange(cut_, {})));
  if (is_in_line_)
    write("\n");
  auto line = harmless(text);
  if (!line.ends_with('\n'))
    line += '\n';
  write(line);
}

asio::awaitable<void> program_output::until_written(std::chrono::milliseconds patience) {
  write(harmless(std::exchange(cut_, {})));
  co_await until_less_waits(0, patience);
}

/// A thread does the writing, which tells nobody how far it is: looked at only while somebody does not read.
asio::awaitable<void> program_output::until_less_waits(size_t bytes, std::chrono::milliseconds patience) {
  asio::steady_timer pause{executor_};
  for (std::chrono::milliseconds waited{0}; to_->waiting() > bytes && waited < patience; waited += look_pause) {
    pause.expires_after(look_pause);
    co_await pause.async_wait(process::no_throw);
  }
}

} // namespace cli
