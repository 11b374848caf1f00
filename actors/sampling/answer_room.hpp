// What is held of the answers to the questions of one run, and where they are read.
#pragma once

#include "process/background.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <utility>

namespace sampling {

/// The body of an answer may have so much whenever it comes; more only when it is its turn. Of all questions that a run
/// may have open these are 13 MiB.
inline constexpr size_t small_body_bytes_max = 64u << 10;
/// Bodies of a run that have a turn; the others wait with their senders, however many there are. Two: one comes while
/// another one is read.
inline constexpr size_t large_bodies_max = 2;

class answer_place;

/// Used on the main thread only.
class answer_room : public std::enable_shared_from_this<answer_room> {
public:
  /// `offload`: one line for the whole run, however many questions it has; empty: everything is read at once. `tell` is
  /// called with all that is held when that is at least limits::held_bytes_step more or less than it was told before.
  answer_room(process::background_work offload, std::function<void(uint64_t bytes)> tell)
    : offload_(std::move(offload)),
      tell_(std::move(tell)) {}
  const process::background_work& offload() const { return offload_; }

private:
  friend class answer_place;
  void give_turns();
  /// One of its places holds so much instead of that.
  void change(size_t from, size_t to);

  process::background_work offload_;
  std::function<void(uint64_t bytes)> tell_;
  uint64_t bytes_ = 0;
  uint64_t told_ = 0;
  size_t large_ = 0; ///< bodies that have a turn
  std::deque<std::weak_ptr<answer_place>> waiting_;
};

/// Of one question. What it holds is let go at its end.
class answer_place : public std::enable_shared_from_this<answer_place> {
public:
  explicit answer_place(std::shared_ptr<answer_room> room) : room_(std::move(room)) {}
  answer_place(const answer_place&) = delete;
  answer_place& operator=(const answer_place&) = delete;
  ~answer_place();

  const process::background_work& offload() const { return room_->offload(); }
  /// So many bytes by now.
  void hold(size_t bytes);
  /// True: its body may be large, until leave(). Else it has to wait, and `begin` is called when it may.
  bool take_turn(std::function<void()> begin);
  /// Holds nothing, and has no turn.
  void leave();

private:
  friend class answer_room;

  std::shared_ptr<answer_room> room_;
  size_t bytes_ = 0;
  bool has_turn_ = false;
  std::function<void()> begin_; ///< of one that waits
};

} // namespace sampling
