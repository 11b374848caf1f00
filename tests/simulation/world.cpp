#include "tests/simulation/world.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace simulation {

void world::later(line where, std::function<void()> act, haste how) { events_.push_back({where, how, std::move(act)}); }

void world::later_by(std::chrono::milliseconds wait, std::function<void()> act) {
  timed_.emplace(now_ + wait, std::move(act));
}

void world::pass_to(std::chrono::steady_clock::time_point now) {
  now_ = now;
  while (!timed_.empty() && timed_.begin()->first <= now) {
    auto due = timed_.extract(timed_.begin());
    due.mapped()();
  }
}

/// The first of its line instead.
void world::carry_out(size_t which) {
  auto where = events_[which].where;
  if (where != 0)
    which = static_cast<size_t>(std::find_if(events_.begin(), events_.end(), [&](auto& e) { return e.where == where; })
                                - events_.begin());
  auto act = std::move(events_[which].act);
  events_.erase(events_.begin() + static_cast<std::ptrdiff_t>(which));
  act();
}

bool world::happen() {
  if (events_.empty())
    return false;
  carry_out(luck.below(events_.size()));
  return true;
}

bool world::happen_promptly() {
  auto found = std::find_if(events_.begin(), events_.end(), [](auto& e) { return e.how == haste::prompt; });
  if (found == events_.end())
    return false;
  carry_out(static_cast<size_t>(found - events_.begin()));
  return true;
}

void count_question(world& in, std::string_view text) {
  for (auto& [mark, run] : in.runs)
    if (text.find(mark) != text.npos)
      ++run.questions;
}

/// FNV-1a.
void world::tell(std::string_view what) {
  for (unsigned char c : what)
    digest_ = (digest_ ^ c) * 0x100000001b3;
  digest_ = (digest_ ^ 0xff) * 0x100000001b3;
  if (prints)
    std::fprintf(stderr, "    %.*s\n", static_cast<int>(what.size()), what.data());
}

void world::broken(std::string what) {
  what += " (" + now_doing + ")";
  tell("BROKEN " + what);
  if (std::find(mistakes_.begin(), mistakes_.end(), what) == mistakes_.end())
    mistakes_.push_back(std::move(what));
}

} // namespace simulation
