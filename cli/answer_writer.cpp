#include "cli/answer_writer.hpp"

#include "process/no_throw.hpp"

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/steady_timer.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

namespace cli {

namespace limits = msg::limits;

namespace {

constexpr std::chrono::seconds look_pause{1};
constexpr std::chrono::milliseconds short_pause{10};

} // namespace

answer_writer::answer_writer(const std::shared_ptr<asio::posix::stream_descriptor>& to,
                             const asio::any_io_executor& worker, size_t unsent_bytes_max,
                             std::function<void(const std::string& why)> give_up)
  : executor_(to->get_executor()),
    unsent_bytes_max_(unsent_bytes_max),
    give_up_(std::move(give_up)),
    writer_(std::make_shared<process::json_writer>(to, worker, process::framing::lines,
                                                   unsent_bytes_max + limits::client_spare_bytes_max)) {}

void answer_writer::send(msg::spliced_text message) {
  writer_->unread_for(); // what was read before this is no silence after it
  if (!writer_->push(std::move(message)) && !writer_->is_ending())
    return give_up("there is no room for another message to the client: " + told_of_reader());
  if (is_watched_ || waiting_bytes() <= limits::client_deaf_bytes_min)
    return;
  is_watched_ = true;
  asio::co_spawn(executor_, watch_reader(), asio::detached);
}

/// As text, or in memory with what is being written.
size_t answer_writer::waiting_bytes() const { return std::max(writer_->unsent_bytes(), writer_->held_bytes()); }

size_t answer_writer::room() const { return unsent_bytes_max_ - std::min(unsent_bytes_max_, waiting_bytes()); }

asio::awaitable<void> answer_writer::until_read() {
  asio::steady_timer pause{executor_};
  while (!is_read() && !writer_->is_ending() && writer_->unread_for() < limits::client_deaf_after) {
    pause.expires_after(short_pause);
    co_await pause.async_wait(process::no_throw);
  }
}

/// As long as so much waits. Looks are counted, because a time in which this process was stopped says nothing of the
/// client.
asio::awaitable<void> answer_writer::watch_reader() {
  asio::steady_timer pause{executor_};
  std::chrono::seconds silence{0};
  while (waiting_bytes() > limits::client_deaf_bytes_min) {
    silence = writer_->unread_for() >= look_pause ? silence + look_pause : std::chrono::seconds{0};
    if (silence >= limits::client_deaf_after)
      give_up("the client does not read its answers: " + told_of_reader());
    pause.expires_after(look_pause);
    co_await pause.async_wait(process::no_throw);
  }
  is_watched_ = false;
}

std::string answer_writer::told_of_reader() {
  auto seconds = std::chrono::duration_cast<std::chrono::seconds>(writer_->unread_for()).count();
  return std::to_string(waiting_bytes() >> 20) + " MiB in " + std::to_string(writer_->unsent_messages())
         + " messages wait for it, and it has read nothing for " + std::to_string(seconds)
         + " s; the connection is given up";
}

void answer_writer::give_up(const std::string& why) {
  if (auto given_up = std::exchange(give_up_, nullptr))
    given_up(why);
}

asio::awaitable<void> answer_writer::run() {
  co_await writer_->run();
  if (!writer_->problem().empty())
    give_up("an answer could not be written: " + writer_->problem());
}

} // namespace cli
