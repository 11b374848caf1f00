#include "cli/stdout_writer.hpp"

#include "process/offload.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <poll.h>
#include <string_view>
#include <unistd.h>
#include <utility>

namespace cli {

namespace {

/// So often it is looked whether the rest is wanted still.
constexpr int patience_ms = 50;

/// What can be written to takes PIPE_BUF bytes at once. The descriptor may be shared with others: it stays a blocking
/// one.
int write_all(std::string_view text, const std::atomic<bool>& is_given_up) {
  pollfd ready{STDOUT_FILENO, POLLOUT, 0};
  while (!text.empty()) {
    if (is_given_up)
      return ECANCELED;
    if (::poll(&ready, 1, patience_ms) <= 0)
      continue;
    auto n = ::write(STDOUT_FILENO, text.data(), std::min<size_t>(text.size(), PIPE_BUF));
    if (n < 0 && errno != EINTR && errno != EAGAIN)
      return errno;
    text.remove_prefix(n > 0 ? static_cast<size_t>(n) : 0);
  }
  return 0;
}

} // namespace

asio::awaitable<int> stdout_writer::write(asio::any_io_executor worker, std::string text) {
  auto work = [text = std::move(text), given_up = is_given_up_] { return write_all(text, *given_up); };
  auto done = co_await process::offload(std::move(worker), std::move(work));
  co_return done.ok() ? done.value : EIO;
}

bool stdout_writer::is_left() {
  pollfd state{STDOUT_FILENO, 0, 0};
  return ::poll(&state, 1, 0) > 0 && (state.revents & (POLLERR | POLLNVAL)) != 0;
}

} // namespace cli
