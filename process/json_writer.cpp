#include "process/json_writer.hpp"

#include "messages/limits.hpp"
#include "process/no_throw.hpp"
#include "process/offload.hpp"

#include <asio/buffer.hpp>
#include <asio/post.hpp>
#include <asio/use_awaitable.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

#include <linux/sockios.h>
#include <sys/ioctl.h>

namespace process {

namespace {

/// Memory of what waits may be so many times its text.
constexpr size_t held_for_text = 2;

/// Small messages are written together up to this.
constexpr size_t batch_bytes_max = 64u << 10;

} // namespace

json_writer::json_writer(std::shared_ptr<asio::posix::stream_descriptor> to, asio::any_io_executor worker, framing kind,
                         size_t unsent_bytes_max)
  : to_(std::move(to)),
    worker_(std::move(worker)),
    kind_(kind),
    unsent_bytes_max_(unsent_bytes_max),
    wake_(to_->get_executor(), asio::steady_timer::time_point::max()) {}

bool json_writer::push(msg::spliced_text message, uint64_t key) {
  auto n = message.text_bytes(), held = message.held_bytes();
  refused_for_ = what_is_full(n, held);
  if (is_ending() || refused_for_ != full::nothing)
    return false;
  if (key != 0)
    look_at_reader();
  if (idle_ && n <= msg::limits::json_inline_bytes_max && write_now(message))
    return true;
  unsent_bytes_ += n;
  queued_bytes_ += held;
  queue_.push_back({std::move(message), key});
  if (key != 0)
    keyed_.insert_or_assign(key, std::prev(queue_.end()));
  idle_ = false; // what comes next must not overtake it
  wake_.cancel();
  return true;
}

full json_writer::what_is_full(size_t text_bytes, size_t held_bytes) const {
  if (is_ending())
    return full::nothing;
  if (queue_.size() >= msg::limits::unsent_messages_max)
    return full::messages;
  if (unsent_bytes_ + text_bytes > unsent_bytes_max_)
    return full::bytes;
  auto held_max = std::max(held_for_text * unsent_bytes_max_, msg::limits::json_inline_bytes_max);
  return queued_bytes_ > 0 && queued_bytes_ + held_bytes > held_max ? full::memory : full::nothing;
}

/// The short way: when nothing is queued and the pipe has room, which is nearly always, the message is gone before
/// push() returns. What the pipe does not take, and any error, is left to run(). False: nothing was written.
bool json_writer::write_now(const msg::spliced_text& message) {
  auto bytes = frame(kind_, message.text());
  asio::error_code ec;
  auto written = to_->write_some(asio::buffer(bytes), ec);
  sent_bytes_ += written;
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
  keyed_.clear();
  making_ = 0;
  batch_ = std::string{};
  pieces_.clear();
  unsent_bytes_ = queued_bytes_ = writing_bytes_ = written_ = 0;
  wake_.cancel();
  asio::error_code ignored;
  to_->close(ignored);
}

void json_writer::add(std::string text, uint64_t key) {
  if (key != 0)
    pieces_.push_back({key, batch_.size(), text.size()});
  if (batch_.empty())
    batch_ = std::move(text);
  else
    batch_ += text;
}

/// The worker writes its text.
asio::awaitable<msg::fault> json_writer::add_large(msg::spliced_text message, uint64_t key) {
  auto work = [message = std::move(message), kind = kind_] { return frame(kind, message.text()); };
  making_ = key;
  auto text = co_await offload(worker_, std::move(work));
  bool is_wanted = std::exchange(making_, 0) == key;
  if (text.ok() && is_wanted)
    add(std::move(text.value), key);
  co_return std::move(text.error);
}

/// Small messages, or one large one: what is taken back of a batch leaves no large one to be moved.
asio::awaitable<msg::fault> json_writer::next_batch() {
  batch_ = std::exchange(begun_, {});
  written_ = 0;
  pieces_.clear();
  unsent_bytes_ -= std::min(unsent_bytes_, batch_.size());
  while (!queue_.empty() && batch_.size() < batch_bytes_max) {
    auto n = queue_.front().message.text_bytes(), held = queue_.front().message.held_bytes();
    bool is_large = n > msg::limits::json_inline_bytes_max;
    if (is_large && !batch_.empty())
      break;
    auto next = std::move(queue_.front());
    queue_.pop_front();
    keyed_.erase(next.key);
    queued_bytes_ -= std::min(queued_bytes_, held);
    writing_bytes_ += held;
    if (!is_large)
      add(frame(kind_, next.message.text()), next.key);
    else if (auto problem = co_await add_large(std::move(next.message), next.key); problem.code != msg::errc::none)
      co_return problem;
    unsent_bytes_ -= std::min(unsent_bytes_, n);
  }
  writing_bytes_ = batch_.size();
  co_return msg::fault{};
}

/// Nothing is given to the system before it takes it: until then it may be taken back. False: the other side is gone.
asio::awaitable<bool> json_writer::write_batch() {
  while (written_ < batch_.size() && !closed_) {
    asio::error_code ec;
    auto n =
      to_->write_some(asio::buffer(batch_.data() + written_, std::min(batch_.size() - written_, batch_bytes_max)), ec);
    written_ += n;
    sent_bytes_ += n;
    if (ec == asio::error::would_block || ec == asio::error::try_again) {
      auto [gone] = co_await to_->async_wait(asio::posix::descriptor_base::wait_write, no_throw);
      if (gone)
        co_return false;
    } else if (ec) {
      co_return false;
    } else if (written_ < batch_.size() || !queue_.empty()) {
      co_await asio::post(to_->get_executor(), asio::use_awaitable); // others wait for this thread
    }
  }
  batch_ = std::string{}; // its memory, too
  pieces_.clear();
  written_ = writing_bytes_ = 0;
  co_return true;
}

bool json_writer::take_back(uint64_t key) {
  if (key == 0)
    return false;
  if (key == making_)
    return making_ = 0, true;
  return take_back_queued(key) || take_back_of_batch(key);
}

bool json_writer::take_back_queued(uint64_t key) {
  auto found = keyed_.extract(key);
  if (!found)
    return false;
  auto message = std::move(found.mapped()->message);
  queue_.erase(found.mapped());
  auto held = message.held_bytes();
  unsent_bytes_ -= std::min(unsent_bytes_, message.text_bytes());
  queued_bytes_ -= std::min(queued_bytes_, held);
  if (held > msg::limits::json_inline_bytes_max) // as in close()
    asio::post(worker_, [dropped = std::move(message)] {});
  return true;
}

bool json_writer::take_back_of_batch(uint64_t key) {
  auto found = std::find_if(pieces_.begin(), pieces_.end(), [key](auto& p) { return p.key == key; });
  if (found == pieces_.end() || found->begin < written_)
    return false;
  auto bytes = found->bytes;
  batch_.erase(found->begin, bytes);
  for (auto next = pieces_.erase(found); next != pieces_.end(); ++next)
    next->begin -= bytes;
  if (batch_.size() == written_)
    batch_.shrink_to_fit();
  writing_bytes_ -= std::min(writing_bytes_, bytes);
  return true;
}

/// Whether something is there that the other side has not read.
bool json_writer::look_at_reader() {
  int there = 0; // of a socket the first question tells that, in bytes of memory
  if (::ioctl(to_->native_handle(), SIOCOUTQ, &there) != 0 && ::ioctl(to_->native_handle(), FIONREAD, &there) != 0)
    there = 0;
  auto unread = static_cast<uint64_t>(there);
  bool waits = unread > 0 || unsent_bytes_ > 0 || written_ < batch_.size();
  auto read = sent_bytes_ - std::min(sent_bytes_, unread);
  if (!waits || read != read_bytes_)
    unread_since_ = std::chrono::steady_clock::now();
  read_bytes_ = read;
  return waits;
}

std::chrono::milliseconds json_writer::unread_for() {
  using std::chrono::milliseconds;
  return look_at_reader() ? std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - unread_since_)
                          : milliseconds{0};
}

bool json_writer::was_read() {
  look_at_reader();
  return read_bytes_ > 0;
}

/// A message that can not be written for want of memory ends it like a reader that has gone: no peer waits for an
/// answer that does not come.
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
    if (auto problem = co_await next_batch(); problem.code != msg::errc::none)
      problem_ = std::move(problem.message);
    if (closed_ || !problem_.empty())
      break;
    bool is_written = co_await write_batch();
    if (!is_written)
      break;
  }
}

} // namespace process
