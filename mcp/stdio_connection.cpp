#include "mcp/stdio_connection.hpp"

#include "mcp/log_allowance.hpp"
#include "mcp/secret_mask.hpp"
#include "messages/limits.hpp"
#include "process/json_reader.hpp"
#include "process/json_writer.hpp"
#include "process/no_throw.hpp"
#include "process/shortage.hpp"
#include "text/printable.hpp"
#include "text/utf8.hpp"

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/post.hpp>
#include <asio/steady_timer.hpp>
#include <asio/use_awaitable.hpp>

#include <spdlog/spdlog.h>

#include <csignal>
#include <system_error>
#include <utility>

namespace mcp {

namespace {

using asio::awaitable;
namespace limits = msg::limits;
using stream = std::shared_ptr<asio::posix::stream_descriptor>;
using process::no_throw;

/// After the death of the child: time for its last words to be read. Its pipes end when its group is dead.
constexpr std::chrono::milliseconds last_words_wait{500};
/// Log lines of a child are cut here.
constexpr size_t log_line_bytes_max = 4u << 10;
/// 1 ms of the one thread.
constexpr size_t log_lines_at_once_max = 100;

class stdio_connection final : public connection, public std::enable_shared_from_this<stdio_connection> {
public:
  stdio_connection(stdio_environment& environment, std::string name, secret_mask mask,
                   std::unique_ptr<process::child> child, stream in, stream out, stream err, connection_events events)
    : environment_(environment),
      name_(std::move(name)),
      mask_(std::move(mask)),
      child_(std::move(child)),
      in_(std::move(in)),
      err_(std::move(err)),
      worker_(environment.worker()),
      writer_(
        std::make_shared<process::json_writer>(in_, worker_, process::framing::lines, limits::child_unsent_bytes_max)),
      out_(std::move(out)),
      reader_(out_, worker_, process::framing::lines, limits::child_line_bytes_max),
      unread_(environment.unread_lines, [this] { end_for_unread_lines(); }),
      patience_(environment.executor),
      readers_done_(environment.executor, asio::steady_timer::time_point::max()),
      events_(std::move(events)) {}

  void run() {
    reader_.hold_at_most(limits::run_held_bytes_max);
    reader_.keep_spelling(events_.text_is);
    reader_.watch_held([this] { unread_.set(reader_.held_bytes()); });
    auto executor = environment_.executor;
    asio::co_spawn(executor, write_messages(shared_from_this()), asio::detached);
    asio::co_spawn(executor, read_messages(shared_from_this()), [self = shared_from_this()](std::exception_ptr failed) {
      if (failed) { // else its calls would wait for ever
        self->break_off("could not be served, and was stopped: the server failed to deal with what it sent");
        self->reader_done();
      }
    });
    asio::co_spawn(executor, read_log(shared_from_this()), asio::detached);
    asio::co_spawn(executor, watch_stdin(shared_from_this()), asio::detached);
    asio::co_spawn(executor, watch(shared_from_this()), asio::detached);
  }

  /// What is sent to a server that ends has the fate of all that is open: `closed` tells it.
  bool send(msg::spliced_text message, uint64_t key, request_labels) override {
    return writer_->push(std::move(message), key) || writer_->is_ending();
  }
  bool take_back(uint64_t key) override { return writer_->take_back(key); }
  std::chrono::milliseconds unread_for() override { return writer_->unread_for(); }
  bool was_heard() override { return dead_ ? was_read_ : writer_->was_read(); }
  masking mask() const override {
    return [mask = mask_](std::string text) { return mask(std::move(text), false); };
  }

  void stop() override {
    if (stopping_)
      return;
    stopping_ = true;
    asio::co_spawn(environment_.executor, stop_in_order(shared_from_this()), asio::detached);
  }

  void kill() override { child_->kill(SIGKILL); }

private:
  // Coroutines take `self` so that the connection lives as long as they do.

  awaitable<void> write_messages([[maybe_unused]] std::shared_ptr<stdio_connection> self) {
    co_await writer_->run();
    if (stopping_ || dead_)
      co_return;
    if (!writer_->problem().empty())
      break_off("could not be sent a message, and was stopped: " + writer_->problem());
    end_without_stdin();
  }

  /// A pipe whose last reader is gone has an error, whatever still lies in it: a server that has not read what it was
  /// asked never will.
  awaitable<void> watch_stdin([[maybe_unused]] std::shared_ptr<stdio_connection> self) {
    auto [cancelled] = co_await in_->async_wait(asio::posix::descriptor_base::wait_error, no_throw);
    if (!cancelled && !stopping_ && !dead_)
      end_without_stdin();
  }

  /// A server that has closed its stdin can not be asked any more.
  void end_without_stdin() {
    stdin_closed_ = true;
    tell_ending();
    stop();
  }

  awaitable<void> read_messages([[maybe_unused]] std::shared_ptr<stdio_connection> self) {
    for (;;) {
      auto event = co_await reader_.next();
      if (event.what == process::json_event::kind::message) {
        co_await events_.received(std::move(event.value), 0);
      } else if (event.what == process::json_event::kind::malformed) {
        co_await events_.non_protocol_line(text::printable(mask_(std::move(event.text), true)));
      } else {
        if (event.what == process::json_event::kind::too_long)
          break_off("sent a line of more than " + std::to_string(limits::child_line_bytes_max >> 20)
                    + " MiB and was stopped");
        else if (event.what == process::json_event::kind::unread && !dead_)
          break_off("sent a line that could not be read, and was stopped: " + event.problem
                    + "; have it answer with less at a time, or with text");
        break;
      }
    }
    if (!dead_) { // a server that has closed its stdout can not answer any more
      stdout_closed_ = !stopping_;
      tell_ending();
      stop();
    }
    reader_done();
  }

  awaitable<void> read_log([[maybe_unused]] std::shared_ptr<stdio_connection> self) {
    std::string chunk(16u << 10, '\0'), line;
    for (;;) {
      auto [ec, n] = co_await err_->async_read_some(asio::buffer(chunk), no_throw);
      if (ec)
        break;
      size_t lines = 0;
      for (size_t i = 0; i < n; ++i) {
        if (chunk[i] != '\n') {
          if (line.size() < log_line_bytes_max)
            line += chunk[i];
          continue;
        }
        log_line(line);
        if (++lines % log_lines_at_once_max == 0)
          co_await asio::post(environment_.executor, asio::use_awaitable); // others wait for this thread
      }
    }
    log_line(line);
    reader_done();
  }

  void log_line(std::string& line) {
    if (line.empty())
      return;
    bool is_cut = line.size() >= log_line_bytes_max;
    line = text::printable(mask_(std::move(line), is_cut)); // it also becomes part of errors, which others show
    if (auto logged = log_allowance_.shown(line, log_allowance::time_point::clock::now()); !logged.empty())
      spdlog::info("[{}] {}", name_, logged);
    last_words_ += (last_words_.empty() ? "" : " | ") + line;
    if (last_words_.size() > limits::child_quote_bytes_max)
      last_words_.erase(0, last_words_.size() - limits::child_quote_bytes_max);
    line.clear();
  }

  void tell_ending() {
    if (auto tell = std::exchange(events_.ending, {}))
      tell();
  }

  void reader_done() {
    ++readers_ended_;
    readers_done_.cancel();
  }

  /// The only way a connection ends: its child is dead.
  awaitable<void> watch([[maybe_unused]] std::shared_ptr<stdio_connection> self) {
    auto status = co_await process::reap_when_ended(*child_);
    was_read_ = writer_->was_read();
    dead_ = true;
    tell_ending();
    patience_.cancel();
    auto deadline = asio::steady_timer::clock_type::now() + last_words_wait;
    while (readers_ended_ < 2 && asio::steady_timer::clock_type::now() < deadline) {
      readers_done_.expires_at(deadline);
      co_await readers_done_.async_wait(no_throw);
    }
    asio::error_code ignored; // a process that left the group may still hold the pipes
    out_->close(ignored);
    err_->close(ignored);
    writer_->close();
    events_.closed(violation_.empty() ? msg::fault{msg::errc::server_died,
                                                   why_stopped() + "ended with " + status.text() + quoted_last_words()}
                                      : msg::fault{msg::errc::protocol_violation, violation_});
  }

  /// Any server closes them when it dies: it is told of one that would have lived on.
  std::string why_stopped() const {
    if (!made_to_end_ || (!stdin_closed_ && !stdout_closed_))
      return {};
    return std::string{"closed its "} + (stdin_closed_ ? "stdin" : "stdout") + ", and was stopped: ";
  }

  std::string quoted_last_words() const {
    return last_words_.empty() ? "" : "; last on its stderr: " + text::valid_utf8(last_words_);
  }

  void end_for_unread_lines() {
    break_off("was stopped: it had sent " + std::to_string(reader_.held_bytes() >> 20)
              + " MiB of a line, the most of all servers, whose lines together took more than "
              + std::to_string(environment_.unread_lines->bytes_max() >> 20)
              + " MiB; have servers answer with less at a time");
  }

  void break_off(std::string violation) {
    violation_ = std::move(violation);
    kill();
  }

  awaitable<void> stop_in_order([[maybe_unused]] std::shared_ptr<stdio_connection> self) {
    writer_->finish(); // closes its stdin
    patience_.expires_after(limits::child_stop_stdin);
    co_await patience_.async_wait(no_throw);
    if (dead_)
      co_return;
    made_to_end_ = true;
    child_->kill(SIGTERM);
    patience_.expires_after(limits::child_stop_sigterm);
    co_await patience_.async_wait(no_throw);
    if (!dead_)
      child_->kill(SIGKILL);
  }

  stdio_environment& environment_;
  std::string name_;
  secret_mask mask_;
  std::unique_ptr<process::child> child_;
  stream in_; ///< the writer's, which is closed by it
  stream err_;
  asio::any_io_executor worker_;
  std::shared_ptr<process::json_writer> writer_;
  stream out_;
  process::json_reader reader_;
  process::common_budget::part unread_; ///< what reader_ holds
  asio::steady_timer patience_;         // cancelled by the child's death
  asio::steady_timer readers_done_;     // cancelled when a reader ends
  connection_events events_;
  log_allowance log_allowance_; ///< of its stderr
  std::string last_words_;
  std::string violation_;
  int readers_ended_ = 0;
  bool dead_ = false;
  bool was_read_ = false; ///< what it was sent, when it died
  bool stopping_ = false;
  bool stdin_closed_ = false, stdout_closed_ = false; ///< by the server, as we know of it
  bool made_to_end_ = false;                          ///< it did not end by itself when it could hear nothing more
};

} // namespace

msg::outcome<std::shared_ptr<connection>> open_stdio(stdio_environment& environment, std::string name,
                                                     process::launch what, connection_events events) {
  try {
    auto in = process::make_pipe(), out = process::make_pipe(), err = process::make_pipe();
    what.descriptors = {{in.read.get(), 0}, {out.write.get(), 1}, {err.write.get(), 2}};
    auto child = process::start(environment.executor, what);
    if (!child.ok())
      return std::move(child.error);
    auto own = [&](process::descriptor& d) {
      return std::make_shared<asio::posix::stream_descriptor>(environment.executor, d.release());
    };
    auto made = std::make_shared<stdio_connection>(environment, std::move(name), secret_mask{what.secrets},
                                                   std::move(child.value), own(in.write), own(out.read), own(err.read),
                                                   std::move(events));
    made->run();
    return std::shared_ptr<connection>{made};
  } catch (const std::system_error& e) {
    return msg::fault{msg::errc::server_start_failed, "cannot open pipes: " + process::error_text(e)};
  }
}

} // namespace mcp
