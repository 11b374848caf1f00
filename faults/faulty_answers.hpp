// What comes from a server with faults: answers that are late, others, or lost.
#pragma once

#include "faults/changed_answer.hpp"
#include "faults/faulty_line.hpp"
#include "faults/injector.hpp"
#include "faults/timer.hpp"

#include <asio/awaitable.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <utility>

namespace faults {

class faulty_answers : public std::enable_shared_from_this<faulty_answers> {
public:
  explicit faulty_answers(std::shared_ptr<faulty_line> line)
    : line_(std::move(line)),
      next_answer_(line_->server.executor) {}

  /// For the connection beneath.
  mcp::connection_events events();
  /// What is to happen to the answer to that request. `pages`: of a list of tools, those that have changed are told as
  /// they are now.
  enum class pages : uint8_t { as_they_are, changed };
  void watch(uint64_t key, chosen hit, pages list);
  bool is_watched(uint64_t key) const { return watched_.count(key) > 0; }
  /// A call goes to the server: its answer lets those go on that come after the next one.
  void note_call(uint64_t key);
  /// It was taken back, and is not answered.
  void forget(uint64_t key) {
    watched_.erase(key);
    calls_.erase(key);
  }
  /// Instead of the server, in a moment.
  void say(chosen by, msg::document message);

private:
  struct watched {
    chosen hit;
    pages list = pages::as_they_are;
  };

  asio::awaitable<void> hear(msg::document message, uint64_t during);
  asio::awaitable<void> hear_now(msg::document message, uint64_t during);
  asio::awaitable<void> hear_after_hang(std::shared_ptr<faulty_answers> self, msg::document message, uint64_t during);
  asio::awaitable<void> answer(std::shared_ptr<faulty_answers> self, watched by, msg::document message,
                               uint64_t during);
  asio::awaitable<void> answer_later(std::shared_ptr<faulty_answers> self, chosen by, msg::document message,
                                     uint64_t during, std::chrono::milliseconds wait);
  bool is_said(uint64_t id) const { return !line_->is_over && !line_->is_cut && id != 0; }
  asio::awaitable<void> deliver(chosen by, msg::document message, uint64_t during);
  asio::awaitable<changed_answer> changed(const chosen& by, msg::document message);
  asio::awaitable<void> tell(const chosen& by, uint64_t id, changed_answer made, uint64_t during);
  asio::awaitable<void> say_later(std::shared_ptr<faulty_answers> self, chosen by, msg::document message);
  void spawn(asio::awaitable<void> what);
  void end(msg::fault why);

  std::shared_ptr<faulty_line> line_;
  std::map<uint64_t, watched> watched_;
  std::set<uint64_t> calls_; ///< keys of those that are not answered; the latest watched_max
  delay_timer next_answer_;  ///< cancelled when one of a call comes
  size_t delayed_bytes_ = 0;
};

} // namespace faults
