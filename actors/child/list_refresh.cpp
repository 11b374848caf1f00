#include "actors/child/list_refresh.hpp"

#include "actors/child/server_fault.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace child {

list_refresh::list_refresh(refresh_parts parts, std::chrono::milliseconds listing_max,
                           std::function<void(timer, std::chrono::milliseconds after)> set_timer,
                           std::function<time_point()> now)
  : parts_(parts),
    listing_max_(listing_max),
    set_timer_(std::move(set_timer)),
    now_(std::move(now)) {}

// ---- who needs it ----------------------------------------------------------------------------

void list_refresh::take(open_call call) {
  bool others_wait = is_awaited();
  auto& review = parts_.review;
  if (parts_.life.is(stage::ready) && !review.is_settled() && review.lets_calls_go_on())
    call.waits_until = now_() + set_patience();
  parts_.calls.take(std::move(call));
  read_soon(others_wait);
}

void list_refresh::wait(std::function<void()> then) {
  bool others_wait = is_awaited();
  auto patience = set_patience();
  waiting_.push_back({parts_.review.last_change(), now_() + patience, std::move(then)});
  read_soon(others_wait);
}

std::chrono::milliseconds list_refresh::set_patience() {
  auto patience = parts_.review.pause_left(now_()) + list_answer_max;
  set_timer_(timer::awaited_list, patience);
  return patience;
}

/// What is announced counts for the one that has come. The first one sees to the time for all that wait.
void list_refresh::read_soon(bool others_wait) {
  auto pause = parts_.review.pause_left(now_());
  if (pause.count() == 0)
    read_if_announced();
  else if (parts_.review.is_change_announced() && !others_wait)
    read_after(pause);
}

// ---- what happens ----------------------------------------------------------------------------

void list_refresh::announced() {
  listen_pause_.succeeded();
  if (parts_.review.announced_change() && parts_.life.is(stage::ready))
    read_after(parts_.review.relist_pause());
}

/// One timer at a time: each reading sets one, and so does each announcement that comes meanwhile.
void list_refresh::read_after(std::chrono::milliseconds pause) {
  auto now = now_(), at = now + pause;
  bool is_set = relist_at_ > now && relist_at_ <= at;
  if (is_set)
    return;
  relist_at_ = at;
  set_timer_(timer::relist, pause);
}

void list_refresh::read_in_time() {
  if (relist_at_ > now_()) // that of an earlier wish
    return;
  relist_at_ = time_point::max();
  read_if_announced();
}

void list_refresh::listening_ended() {
  if (parts_.life.is(stage::starting) || parts_.life.is(stage::ready))
    set_timer_(timer::listening, listen_pause_.failed());
}

void list_refresh::read_if_announced() {
  auto& [life, link, review, calls] = parts_;
  if (!review.is_change_announced() || !life.is(stage::ready) || link.is_listing()
      || review.goes_on()) // whose end sets the timer
    return;
  review.reads_again();
  listing_until_ = now_() + listing_max_;
  set_timer_(timer::listing, listing_max_);
  link.list_tools();
}

void list_refresh::go_on() {
  auto& review = parts_.review;
  parts_.calls.release(now_());
  end_if([&](auto& w) { return review.is_read(w.change); });
  if (review.is_change_announced()) // meanwhile
    read_after(is_awaited() ? review.pause_left(now_()) : review.relist_pause());
}

void list_refresh::end_late_listing(const std::string& server) {
  auto& link = parts_.link;
  if (parts_.life.is(stage::ready) && link.is_listing() && listing_until_ <= now_())
    link.give_up_listing(
      server_fault(server, msg::errc::call_timeout,
                   "has not listed its tools within " + proxy::seconds_text(static_cast<uint64_t>(listing_max_.count()))
                     + " (servers.startTimeoutMs) after it had announced others; those before count"));
}

void list_refresh::end_late() {
  if (parts_.life.is(stage::ready))
    parts_.calls.release(now_());
  end_if([now = now_()](auto& w) { return w.until <= now; });
}

void list_refresh::give_up() {
  end_if([](auto&) { return true; });
}

void list_refresh::end_if(const std::function<bool(const waiting&)>& is_over) {
  auto ended = std::stable_partition(waiting_.begin(), waiting_.end(), [&](auto& w) { return !is_over(w); });
  std::vector<waiting> over{std::make_move_iterator(ended), std::make_move_iterator(waiting_.end())};
  waiting_.erase(ended, waiting_.end());
  for (auto& w : over)
    w.then();
}

} // namespace child
