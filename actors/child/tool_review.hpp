// Whether the tools of a server are what was approved. The connector hears of each new list, and where changed tools
// are held, calls wait for what it says of it.
#pragma once

#include "messages/errors.hpp"
#include "messages/tool_call.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace child {

/// What calls do between a new list and what is said of it.
enum class during_review : uint8_t { calls_go_on, calls_wait };

/// The connector gives up earlier. Only so that the wait for what it says is finite.
inline constexpr std::chrono::seconds review_answer_max{65};

/// What a list costs the catalog, about: of its size, because the time until it answers is also that of other servers.
std::chrono::milliseconds review_work(const msg::tool_list& tools);

/// Of the lists of one server, which have numbers from 1 on. The caller brings the clock, which never goes back.
class tool_review {
public:
  using time_point = std::chrono::steady_clock::time_point;

  tool_review(std::string server, during_review rule) : server_(std::move(server)), rule_(rule) {}

  // ---- lists
  /// The server has announced that its tools have changed. False: that is known already.
  bool announced_change();
  /// It is asked for its list, which is that of the last announcement.
  void reads_again() { asked_for_ = last_change_; }
  /// The list that was asked for has come, or could not be read.
  void was_read() { read_ = asked_for_; }
  bool is_change_announced() const { return asked_for_ != last_change_; }
  /// Number of the last announcement.
  uint64_t last_change() const { return last_change_; }
  /// Whether a list that was asked for after that announcement has been read. Later ones do not matter: of a server
  /// that announces them all the time there is always a later one.
  bool is_read(uint64_t change) const { return change <= read_; }
  /// So long after an announcement the list is read, and not while one is being reviewed: a server that changes it all
  /// the time has no more than a tenth of the catalog, which every run uses.
  std::chrono::milliseconds relist_pause() const;
  /// What a call waits of that time since the last review, at most two seconds.
  std::chrono::milliseconds pause_left(time_point now) const;

  // ---- reviews
  /// A list has been read and is told: its number. `work`: of the catalog.
  uint64_t told(std::chrono::milliseconds work);
  /// What was said of that list: names of its tools that may not be called, or why none may. False: there is a newer
  /// one, which counts.
  bool reviewed(uint64_t list, msg::outcome<std::vector<std::string>> held, time_point now);
  bool goes_on() const { return reviewed_ != told_; }
  /// Whether calls may be held against a list that may not be the last one.
  bool lets_calls_go_on() const { return rule_ == during_review::calls_go_on; }
  /// No call may leave.
  bool is_awaited() const { return rule_ == during_review::calls_wait && goes_on(); }

  // ---- calls
  /// Whether a call may be held against the last list: nothing newer is announced or being reviewed.
  bool is_settled() const { return !is_change_announced() && !is_awaited(); }
  /// Of the list that was reviewed last.
  uint64_t last_reviewed() const { return reviewed_; }
  /// Of a call that came when that list was the last one to be reviewed: if there is a later one, whether it still may
  /// be made. Later calls have been held against it by the connector. errc::none: it may.
  msg::fault held_back(const msg::tool_call& call, uint64_t list) const;

private:
  std::string server_;
  during_review rule_;
  uint64_t last_change_ = 0;
  uint64_t asked_for_ = 0; ///< announcement that was the last one when the list was asked for
  uint64_t read_ = 0;      ///< the same of the list that was read
  uint64_t told_ = 0;
  uint64_t reviewed_ = 0;
  time_point reviewed_at_{};
  std::chrono::milliseconds work_{0};           ///< of the last list that was told
  msg::outcome<std::vector<std::string>> held_; ///< what was said of it
};

} // namespace child
