#include "process/json_writer.hpp"

#include "messages/limits.hpp"
#include "process/no_throw.hpp"
#include "process/offload.hpp"

#include <asio/buffer.hpp>
#include <asio/post.hpp>
#include <asio/write.hpp>

#include <algorithm>
#include <utility>

namespace process {

namespace {

/// Memory of what waits may be so many times its text.
constexpr size_t held_for_text = 2;

/// Small messages are written together up to this.
constexpr size_t batch_bytes_max = 64u << 10;

} // namespace

json_writer::json_writer(std::shared_ptr<asio::posix::stream_descriptor> to, asio::any_io_executor worker, framing kind, size_t unsent_bytes_max)
  : to_(std::move(to)),
    worker_(std::move(worker)),
    kind_(kind),
    unsent_bytes_max_(unsent_bytes_max),
    wake_(to_->get_executor(), asio::steady_timer::time_point::max()) {}

bool json_writer::push(msg::spliced_text message) {
  auto n = message.text_bytes(), held = message.held_bytes();
  if (queued_bytes_ > 0 && queued_bytes_ + held > std::max(held_for_text * unsent_bytes_max_, msg::limits::json_inline_bytes_max))
    return false;
  if (closed_ || finishing_ || unsent_bytes_ + n > unsent_bytes_max_ || queue_.size() >= msg::limits::unsent_messages_max)
    return false;
  if (idle_ && n <= msg::limits::json_inline_bytes_max && write_now(message))
    return true;
  unsent_bytes_ += n;
  queued_bytes_ += held;
  queue_.push_back(std::move(message));
  idle_ = false; // what comes next must not overtake it
  wake_.cancel();
  return true;
}

/// The short way: when nothing is queued and the pipe has room, which is nearly always, the message is gone before
/// push() returns. What the pipe does not take, and any error, is left to run(). False: nothing was written.
bool json_writer::write_now(const msg::spliced_text& message) {
  auto bytes = frame(kind_, message.text());
  asio::error_code ec;
  auto written = to_->write_some(asio::buffer(bytes), ec);
  if (written == 0)
    return false;
  if (written < bytes.size()) {
    begun_ = bytes.substr(written);
    unsent_bytes_ += begun_.size();
    idle_ = false;
    wake_.cancel();
  }
  return true;
}

void json_writer::finish() {
  finishing_ = true;
  wake_.cancel();
}

void json_writer::close() {
  closed_ = true;
  if (queued_bytes_ > msg::limits::json_inline_bytes_max) // the end of large values takes as long as their making
    asio::post(worker_, [dropped = std::exchange(queue_, {})] {});
  queue_.clear();
  unsent_bytes_ = queued_bytes_ = 0;
  wake_.cancel();
  asio::error_code ignored;
  to_->close(ignored);
}

asio::awaitable<msg::outcome<std::string>> json_writer::next_batch() {
  auto batch = std::exchange(begun_, {});
  unsent_bytes_ -= std::min(unsent_bytes_, batch.size());
  while (!queue_.empty() && batch.size() < batch_bytes_max) {
    auto message = std::move(queue_.front());
    queue_.pop_front();
    auto n = message.text_bytes(), held = message.held_bytes();
    queued_bytes_ -= std::min(queued_bytes_, held);
    writing_bytes_ += held;
    if (n <= msg::limits::json_inline_bytes_max) {
      batch += frame(kind_, message.text());
    } else {
      auto work = [message = std::move(message), kind = kind_] { return frame(kind, message.text()); };
      auto text = co_await offload(worker_, std::move(work));
      if (!text.ok())
        co_return std::move(text.error);
      batch += text.value;
    }
    unsent_bytes_ -= std::min(unsent_bytes_, n);
  }
  writing_bytes_ = batch.size();
  co_return batch;
}

/// A message that can not be written for want of memory ends it like a reader that has gone: nobody waits for an answer that does not come.
asio::awaitable<void> json_writer::run() {
  auto self = shared_from_this();
  try {
    co_await write_all();
  } catch (...) {
    problem_ = fault_of_exception().message;
  }
  close();
}

asio::awaitable<void> json_writer::write_all() {
  asio::error_code ignored;
  to_->non_blocking(true, ignored); // for write_now()
  while (!closed_) {
    if (queue_.empty() && begun_.empty()) {
      if (finishing_)
        break;
      wake_.expires_at(asio::steady_timer::time_point::max());
      idle_ = true;
      co_await wake_.async_wait(no_throw);
      idle_ = false;
      continue;
    }
    auto batch = co_await next_batch();
    if (!batch.ok())
      problem_ = std::move(batch.error.message);
    if (closed_ || !problem_.empty())
      break;
    auto [ec, n] = co_await asio::async_write(*to_, asio::buffer(batch.value), no_throw);
    writing_bytes_ = 0;
    if (ec)
      break;
  }
}

} // namespace process
