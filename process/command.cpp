#include "process/command.hpp"

#include "process/no_throw.hpp"
#include "process/shortage.hpp"

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <asio/read.hpp>
#include <asio/steady_timer.hpp>

#include <algorithm>
#include <csignal>
#include <fcntl.h>
#include <memory>
#include <system_error>

namespace process {

namespace {

using asio::awaitable;

/// Read after the end at most; a pipe holds 64 KiB, and a process that outlives the command may go on writing.
constexpr size_t last_bytes_max = 1u << 20;

struct collected {
  asio::posix::stream_descriptor pipe;
  std::string text;
  bool ended = false;

  void drain(size_t bytes_max) {
    char chunk[16 << 10];
    asio::error_code ec;
    for (size_t n = 0; !ended && n < bytes_max;) {
      auto got = pipe.read_some(asio::buffer(chunk), ec);
      if (ec == asio::error::would_block)
        return;
      ended = ended || ec;
      text.append(chunk, std::min(got, command_output_bytes_max - text.size()));
      n += got;
    }
  }
};

struct running_command {
  std::unique_ptr<child> process;
  collected output, errors;
  asio::steady_timer deadline;
  bool timed_out = false;
  bool ended = false;
};
using running = std::shared_ptr<running_command>;

awaitable<void> collect([[maybe_unused]] running owner, collected& from) {
  while (!from.ended) {
    auto [ec] = co_await from.pipe.async_wait(asio::posix::descriptor_base::wait_read, no_throw);
    if (ec)
      break;
    from.drain(last_bytes_max);
  }
}

awaitable<void> kill_late(running it) {
  auto [ec] = co_await it->deadline.async_wait(no_throw);
  if (ec || it->ended)
    co_return;
  it->timed_out = true;
  it->process->kill(SIGKILL);
}

msg::outcome<running> begin(const asio::any_io_executor& executor, launch& what, std::chrono::milliseconds timeout) {
  try {
    auto out = make_pipe(), err = make_pipe();
    descriptor nothing{::open("/dev/null", O_RDONLY | O_CLOEXEC)};
    what.descriptors.insert(what.descriptors.end(), {{nothing.get(), 0}, {out.write.get(), 1}, {err.write.get(), 2}});
    auto started = start(executor, what);
    if (!started.ok())
      return std::move(started.error);
    auto own = [&](descriptor& d) { return collected{asio::posix::stream_descriptor{executor, d.release()}, {}}; };
    auto it = std::make_shared<running_command>(
      running_command{std::move(started.value), own(out.read), own(err.read), asio::steady_timer{executor, timeout}});
    it->output.pipe.non_blocking(true);
    it->errors.pipe.non_blocking(true);
    return it;
  } catch (const std::system_error& e) {
    return msg::fault{msg::errc::overloaded, "cannot start " + what.argv[0].text() + ": " + error_text(e)};
  }
}

} // namespace

awaitable<msg::outcome<command_result>> run_command(asio::any_io_executor executor, launch what,
                                                    std::chrono::milliseconds timeout) {
  auto begun = begin(executor, what, timeout);
  if (!begun.ok())
    co_return std::move(begun.error);
  auto it = begun.value;
  asio::co_spawn(executor, collect(it, it->output), asio::detached);
  asio::co_spawn(executor, collect(it, it->errors), asio::detached);
  asio::co_spawn(executor, kill_late(it), asio::detached);
  command_result result;
  result.status = co_await reap_when_ended(*it->process);
  it->ended = true;
  it->deadline.cancel();
  for (auto* stream : {&it->output, &it->errors}) {
    stream->drain(last_bytes_max);
    stream->ended = true;
    stream->pipe.close(); // also if a process that it left behind still holds the other end
  }
  result.timed_out = it->timed_out;
  result.output = std::move(it->output.text);
  result.errors = std::move(it->errors.text);
  co_return result;
}

} // namespace process
