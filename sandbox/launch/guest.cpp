#include "sandbox/launch/guest.hpp"

#include "messages/limits.hpp"
#include "process/fair_threads.hpp"
#include "process/json_reader.hpp"
#include "process/json_writer.hpp"
#include "process/no_throw.hpp"
#include "process/output_capture.hpp"
#include "process/receive_listener.hpp"

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/steady_timer.hpp>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <utility>

namespace sandbox {

namespace {

using asio::awaitable;
namespace limits = msg::limits;
using process::framing;
using stream = std::shared_ptr<asio::posix::stream_descriptor>;
using process::no_throw;

/// After the death of the guest: time for its last frames to be read and dealt with.
constexpr std::chrono::milliseconds last_frames_wait{1'000};

/// From the start of a guest to its channel, where it has to connect: the guest's owner has given up before.
constexpr std::chrono::seconds meeting_max{60};

/// One output stream. Bytes are taken from the pipe only by drain(), so that none is ever between the pipe and the
/// capture when the guest is finished.
struct output_stream {
  stream pipe;
  std::function<void(std::string_view)> listener; ///< null: nobody hears of it at once
  process::output_capture capture{limits::output_held_bytes_max};
  bool ended = false;

  msg::captured_text take() {
    return std::exchange(capture, process::output_capture{limits::output_held_bytes_max}).take();
  }

  /// Takes what is in the pipe, at most `bytes_max`.
  void drain(size_t bytes_max) {
    char chunk[64 << 10];
    asio::error_code ec;
    for (size_t n = 0; !ended && n < bytes_max;) {
      auto got = pipe->read_some(asio::buffer(chunk), ec);
      if (ec == asio::error::would_block)
        return;
      ended = ended || ec;
      capture.append({chunk, got});
      if (listener && got > 0)
        listener({chunk, got});
      n += got;
    }
  }
};

std::string in_mib(uint64_t bytes) { return std::to_string(bytes >> 20) + " MiB"; }

std::string what_waits(process::full limit) {
  if (limit == process::full::messages)
    return std::to_string(limits::unsent_messages_max);
  return in_mib(limits::child_unsent_bytes_max) + (limit == process::full::memory ? ", in memory twice as much," : "");
}

class guest_process final : public guest, public std::enable_shared_from_this<guest_process> {
public:
  guest_process(const guest_environment& environment, std::shared_ptr<guest_body> body, stream out, stream err,
                guest_events events)
    : executor_(environment.executor),
      worker_(environment.worker),
      body_(std::move(body)),
      channel_(std::make_shared<asio::posix::stream_descriptor>(environment.executor)),
      writer_(std::make_shared<process::json_writer>(channel_, environment.worker, framing::frames,
                                                     limits::child_unsent_bytes_max)),
      reader_(channel_, environment.worker, framing::frames, limits::frame_bytes_max),
      listener_(executor_),
      output_{std::move(out), events.printed.take},
      diagnostics_{std::move(err), events.printed.take},
      reader_done_(executor_, asio::steady_timer::time_point::max()),
      events_(std::move(events)),
      budget_(environment.budget),
      part_(environment.budget, [this] { end_for_all(); }) {
    reader_.watch_held([this] { check_held(); });
  }

  void run(process::descriptor channel, channel_by how) {
    output_.pipe->non_blocking(true);
    diagnostics_.pipe->non_blocking(true);
    if (how == channel_by::descriptor)
      talk(std::move(channel));
    else
      asio::co_spawn(executor_, meet(shared_from_this(), std::move(channel)), asio::detached);
    asio::co_spawn(executor_, read_output(shared_from_this(), output_), asio::detached);
    asio::co_spawn(executor_, read_output(shared_from_this(), diagnostics_), asio::detached);
    asio::co_spawn(executor_, watch(shared_from_this()), [self = shared_from_this()](std::exception_ptr failed) {
      if (!failed)
        return;
      msg::guest_exit how; // its owner waits for the end
      how.problem = "was lost: the server failed to wait for its end";
      self->body_->kill();
      self->events_.ended(std::move(how));
    });
  }

  bool send(msg::spliced_text frame) override {
    if (writer_->push(std::move(frame))) {
      check_held();
      return true;
    }
    if (auto full = writer_->refused_for(); full != process::full::nothing && !finished_) // else it is closed
      break_off("does not read the answers to its requests: " + what_waits(full)
                  + " of them wait, which is the limit; await some before asking for more",
                msg::errc::limit_exceeded); // what waits for an answer would wait for ever
    return false;
  }

  void hold_at_most(uint64_t bytes_max, uint64_t elsewhere) override {
    held_max_ = bytes_max;
    reader_.hold_at_most(bytes_max);
    held_elsewhere_ = elsewhere;
    check_held();
  }

  void watch_memory() override {
    if (!finished_)
      body_->watch_memory();
  }

  msg::guest_output collect() override {
    output_.drain(limits::guest_final_drain_bytes_max);
    diagnostics_.drain(limits::guest_final_drain_bytes_max);
    return {output_.take(), diagnostics_.take()};
  }

  msg::guest_output finish() override {
    body_->kill();
    finished_ = true;
    process::give_up(worker_);
    return collect();
  }

private:
  void talk(process::descriptor channel) {
    channel_->assign(channel.release());
    asio::co_spawn(executor_, writer_->run(), asio::detached);
    asio::co_spawn(executor_, read_frames(shared_from_this()), [self = shared_from_this()](std::exception_ptr failed) {
      if (failed) // else its requests would wait for ever
        self->break_off("could not be served: the server failed to deal with what it sent");
      self->no_more_frames();
    });
  }

  // Coroutines take `self` so that the guest lives as long as they do.

  /// Waits for the guest to connect. It is the only one in its box who can, and it does before it runs any program.
  awaitable<void> meet([[maybe_unused]] std::shared_ptr<guest_process> self, process::descriptor source) {
    auto received = co_await process::receive_listener(executor_, std::move(source), AF_INET, meeting_max);
    if (received.ok() && !exited_) {
      listener_.assign(received.value.release());
      listener_.non_blocking(true);
      auto [ec] = co_await listener_.async_wait(asio::posix::descriptor_base::wait_read, no_throw);
      process::descriptor connection{ec ? -1 : ::accept4(listener_.native_handle(), nullptr, nullptr, SOCK_CLOEXEC)};
      listener_.close();
      int at_once = 1; // frames are small, and each is waited for
      if (connection && ::setsockopt(connection.get(), IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof at_once) == 0)
        co_return talk(std::move(connection));
    }
    no_more_frames(); // it has ended, or will for want of a channel
  }

  awaitable<void> read_frames([[maybe_unused]] std::shared_ptr<guest_process> self) {
    for (;;) {
      auto event = co_await reader_.next();
      if (event.what == process::json_event::kind::message && !finished_) {
        co_await events_.frame(std::move(event.value));
        continue;
      }
      in_frame_ = event.is_cut_off;
      if (event.what == process::json_event::kind::malformed)
        break_off("sent a frame that is no JSON (" + event.problem + ")");
      else if (event.what == process::json_event::kind::too_long)
        break_off("sent a frame of more than " + std::to_string(limits::frame_bytes_max >> 20) + " MiB");
      else if (event.what == process::json_event::kind::unread && !finished_)
        break_off("sent a frame that could not be read: " + event.problem
                    + "; what one run may make the server hold is bounded (runs.maxHeldMb): send less at a time",
                  msg::errc::limit_exceeded);
      break;
    }
  }

  void no_more_frames() {
    reader_ended_ = true;
    reader_done_.cancel();
  }

  void break_off(std::string problem, msg::errc cause = msg::errc::none) {
    problem_ = std::move(problem);
    cause_ = cause;
    body_->kill();
  }

  struct held_for_run {
    uint64_t waiting, printed, sending, elsewhere;
    uint64_t all() const { return waiting + printed + sending + elsewhere; }
  };
  held_for_run held() const {
    return {writer_->held_bytes(), output_.capture.held_bytes() + diagnostics_.capture.held_bytes(),
            reader_.held_bytes(), held_elsewhere_};
  }

  void check_held() {
    if (finished_ || !problem_.empty())
      return;
    auto now = held();
    part_.set(now.all());
    if (held_max_ > 0 && problem_.empty() && now.all() > held_max_)
      end_for_held("more than " + in_mib(held_max_) + " for this run, which is the limit (runs.maxHeldMb): "
                   + in_mib(now.waiting) + " of answers that the program has not read, " + in_mib(now.printed)
                   + " that it has printed, " + in_mib(now.sending) + " that it is sending, " + in_mib(now.elsewhere)
                   + " of its open requests and of what it displays; read or await some before asking for more");
  }

  /// Programs together have made this process hold too much, and this one most of it.
  void end_for_all() {
    end_for_held("more than " + in_mib(budget_->bytes_max())
                 + " for all programs together, which is the limit (half of process.dataMb), and most of it, "
                 + in_mib(held().all()) + ", for this one; run fewer at a time, or send and print less at a time");
  }

  /// What waits for a guest is let go of at once: the guest will not read it.
  void end_for_held(const std::string& what) {
    break_off("was ended: the server held " + what, msg::errc::limit_exceeded);
    writer_->close();
  }

  awaitable<void> read_output([[maybe_unused]] std::shared_ptr<guest_process> self, output_stream& from) {
    while (!from.ended && !finished_) {
      auto [ec] = co_await from.pipe->async_wait(asio::posix::descriptor_base::wait_read, no_throw);
      if (ec || finished_)
        break;
      from.drain(limits::json_inline_bytes_max); // bounded: a flood must not hold the thread
      check_held();
      if (events_.printed.until_room)
        co_await events_.printed.until_room();
    }
  }

  awaitable<void> watch([[maybe_unused]] std::shared_ptr<guest_process> self) {
    auto how = co_await body_->wait();
    exited_ = true;
    asio::error_code ignored;
    listener_.cancel(ignored);
    auto deadline = asio::steady_timer::clock_type::now() + last_frames_wait;
    while (!reader_ended_ && !finished_ && asio::steady_timer::clock_type::now() < deadline) {
      reader_done_.expires_at(deadline);
      co_await reader_done_.async_wait(no_throw);
    }
    if (!problem_.empty()) {
      how.problem = problem_;
      how.cause = cause_;
    }
    how.in_frame = in_frame_;
    writer_->close();
    events_.ended(std::move(how));
    // The readers end with the pipes, which the last process of the box holds; it is dying now.
  }

  asio::any_io_executor executor_;
  asio::any_io_executor worker_; ///< this guest's own
  std::shared_ptr<guest_body> body_;
  stream channel_;
  std::shared_ptr<process::json_writer> writer_;
  process::json_reader reader_;
  asio::posix::stream_descriptor listener_; ///< where the guest connects; open only while it is waited for
  output_stream output_, diagnostics_;
  asio::steady_timer reader_done_; // cancelled when the channel has ended
  guest_events events_;
  std::shared_ptr<process::common_budget> budget_;
  process::common_budget::part part_; ///< of it
  std::string problem_;
  msg::errc cause_ = msg::errc::none;
  uint64_t held_max_ = 0; ///< 0: any
  uint64_t held_elsewhere_ = 0;
  bool exited_ = false;
  bool reader_ended_ = false;
  bool in_frame_ = false; ///< the channel ended there
  bool finished_ = false;
};

} // namespace

guest_pipes make_guest_pipes() {
  auto [ours, theirs] = process::make_socket_pair();
  auto out = process::make_pipe(), err = process::make_pipe();
  return {{std::move(ours), std::move(out.read), std::move(err.read)},
          {std::move(theirs), std::move(out.write), std::move(err.write)}};
}

std::shared_ptr<guest> drive_guest(const guest_environment& environment, std::shared_ptr<guest_body> body,
                                   guest_ends ours, channel_by how, guest_events events) {
  auto own = [&](process::descriptor& d) {
    return std::make_shared<asio::posix::stream_descriptor>(environment.executor, d.release());
  };
  auto made = std::make_shared<guest_process>(environment, std::move(body), own(ours.output), own(ours.diagnostics),
                                              std::move(events));
  made->run(std::move(ours.channel), how);
  return made;
}

} // namespace sandbox
