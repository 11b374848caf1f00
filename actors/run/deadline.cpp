#include "actors/run/deadline.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace actors::run {

using std::chrono::duration_cast;
using std::chrono::nanoseconds;

nanoseconds deadline::time_to_answer(time_point now) const {
  return std::max<nanoseconds>(end() - now, nanoseconds{0}) + answer_slack;
}

void deadline::go_on(time_point now) {
  stood_ += now - *standing_since_;
  standing_since_.reset();
}

deadline::milliseconds deadline::standstill_left(time_point now) const {
  auto stood = stood_ + (is_standing() ? now - *standing_since_ : nanoseconds{0});
  return std::max(standstill_max - duration_cast<milliseconds>(stood), milliseconds{0});
}

deadline::milliseconds deadline::patience() const { return timeout_ - std::min(timeout_ / 5, margin_max); }

uint32_t deadline::patience_left_ms(time_point now) const {
  auto left = end_of_patience() - now;
  return static_cast<uint32_t>(std::max<int64_t>(1, duration_cast<milliseconds>(left).count()));
}

std::optional<msg::fault> deadline::gives_up(const proxy::waiting_call& call, time_point now) const {
  auto elapsed_ms = static_cast<uint64_t>(duration_cast<milliseconds>(now - begun_ - stood_).count());
  if (call.starting_ms == 0 || call.starting_ms * 2 < elapsed_ms)
    return {};
  auto why = "server '" + call.server + "' has been starting for " + proxy::seconds_text(call.starting_ms)
             + " and has not said yet what it can do; the time of this run is nearly over (timeoutMs "
             + std::to_string(timeout_.count())
             + "). It goes on starting (servers.startTimeoutMs): call it again in a later run, or ask for more time";
  return msg::fault{msg::errc::server_start_failed, std::move(why)}.at(call.server, call.tool);
}

} // namespace actors::run
