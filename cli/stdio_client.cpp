#include "cli/stdio_client.hpp"

#include "actors/bridge/ask.hpp"
#include "mcp/jsonrpc.hpp"
#include "messages/limits.hpp"
#include "process/no_throw.hpp"
#include "process/offload.hpp"

#include <asio/co_spawn.hpp>
#include <caf/all.hpp>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <unistd.h>
#include <utility>

namespace cli {

namespace limits = msg::limits;

namespace {

/// The session takes a line in microseconds.
constexpr std::chrono::seconds handover_timeout{30};
/// Of the memory that this process may have, what it may hold for answers that the client has not read: the rest is for
/// servers, programs, and what is being parsed.
constexpr uint64_t unread_answers_share = 4;
static_assert(limits::process_memory_bytes_min / unread_answers_share
              > limits::client_deaf_bytes_min + limits::client_answer_bytes_max);

std::shared_ptr<asio::posix::stream_descriptor> open_copy(asio::io_context& io, int descriptor) {
  return std::make_shared<asio::posix::stream_descriptor>(io, ::dup(descriptor));
}

std::string reason_of(const process::json_event& event) {
  using kind = process::json_event::kind;
  if (event.what == kind::malformed)
    return "Parse error: " + event.problem;
  return event.what == kind::unread
           ? "Invalid Request: it could not be read: " + event.problem
           : "Invalid Request: a line of more than " + std::to_string(limits::client_line_bytes_max >> 20)
               + " MiB, which is the limit";
}

} // namespace

stdio_client::stdio_client(asio::io_context& io, stdio_client_options options)
  : options_(std::move(options)),
    in_(open_copy(io, STDIN_FILENO)),
    answers_(open_copy(io, STDOUT_FILENO), options_.worker, options_.unsent_bytes_max,
             [this](const std::string& why) { options_.given_up(why); }),
    written_(io, asio::steady_timer::time_point::max()) {}

size_t stdio_client::unsent_bytes_max(uint64_t memory_bytes) {
  return std::min<uint64_t>(limits::client_unsent_bytes_max, memory_bytes / unread_answers_share);
}

actors::client_wire stdio_client::wire() {
  return {[this](mcp::outgoing message) { answers_.send(std::move(message.text)); }, [this] { return answers_.room(); },
          [this] { return answers_.is_read(); }};
}

void stdio_client::start(asio::io_context& io) {
  auto end_if_failed = [this](std::exception_ptr failed) {
    if (failed)
      options_.given_up("the client can not be served any more: " + process::fault_of(failed).message);
  };
  asio::co_spawn(io, write_answers(), end_if_failed);
  asio::co_spawn(io, read_requests(), end_if_failed);
}

asio::awaitable<void> stdio_client::write_answers() {
  co_await answers_.run();
  is_written_ = true;
  written_.cancel();
  options_.left(); // the client is gone, or everything is sent
}

asio::awaitable<void> stdio_client::until_written() {
  if (is_written_)
    co_return;
  written_.expires_after(last_answers_max);
  co_await written_.async_wait(process::no_throw);
}

asio::awaitable<void> stdio_client::read_requests() {
  process::json_reader reader{in_, options_.worker, process::framing::lines, limits::client_line_bytes_max};
  reader.keep_spelling(options_.text_is);
  reader.hold_at_most(limits::run_held_bytes_max);
  while (!is_stopped_) {
    co_await answers_.until_read();
    auto event = co_await reader.next();
    if (event.what == process::json_event::kind::end)
      break;
    has_spoken_ = true;
    try {
      co_await hand_over(std::move(event));
    } catch (const std::exception& e) { // the next one can be dealt with again
      spdlog::error("a message of the client was not dealt with: {}", e.what());
    }
  }
  options_.left();
}

/// Waits until the session has taken it: the next line is read only then.
asio::awaitable<void> stdio_client::hand_over(process::json_event event) {
  using kind = process::json_event::kind;
  if (!session_)
    co_return;
  if (event.what == kind::message) {
    auto taken = co_await bridge::ask<bool>(options_.port, session_, handover_timeout, msg::received_atom::value,
                                            std::move(event.value), uint64_t{0});
    co_return end_unless(taken);
  }
  auto code = mcp::rpc_error::invalid_request;
  if (event.what == kind::malformed)
    code = mcp::rpc_error::parse_error;
  auto why = reason_of(event);
  auto taken = co_await bridge::ask<bool>(options_.port, session_, handover_timeout, msg::rejected_atom::value, code,
                                          std::move(why), std::move(event.value));
  end_unless(taken);
}

/// A request that the session has not taken would never be answered.
void stdio_client::end_unless(const msg::outcome<bool>& taken) {
  if (taken.ok() || is_stopped_)
    return;
  options_.given_up("the client can not be served any more: a message of it was not taken: " + taken.error.message);
}

} // namespace cli
