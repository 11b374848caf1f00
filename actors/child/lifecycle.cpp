#include "actors/child/lifecycle.hpp"

#include <algorithm>

namespace child {

using std::chrono::milliseconds;

uint64_t lifecycle::start(time_point now) {
  stage_ = stage::starting;
  starting_since_ = now;
  ++starts_;
  ++open_processes_;
  return ++connection_;
}

void lifecycle::start_failed() {
  stage_ = stage::backing_off;
  ++connection_;
}

void lifecycle::login_is_wanted() {
  start_failed();
  stage_ = stage::needs_login;
}

void lifecycle::hung_up() {
  if (stage_ == stage::ready)
    stage_ = stage::hung_up;
}

msg::server_state lifecycle::state() const {
  switch (stage_) {
    case stage::idle: break;
    case stage::starting: return msg::server_state::starting;
    case stage::ready: return msg::server_state::ready;
    case stage::resting:
    case stage::hung_up:
    case stage::stopping: return msg::server_state::stopping;
    case stage::backing_off: return msg::server_state::backing_off;
    case stage::needs_login: return msg::server_state::needs_login;
    case stage::unusable: return msg::server_state::unusable;
  }
  return msg::server_state::idle;
}

bool lifecycle::is_down() const {
  return stage_ == stage::idle || stage_ == stage::backing_off || stage_ == stage::unusable
         || stage_ == stage::needs_login;
}

milliseconds lifecycle::starting_for(time_point now) const {
  if (stage_ != stage::starting)
    return milliseconds{0};
  return std::max(milliseconds{1}, std::chrono::duration_cast<milliseconds>(now - starting_since_));
}

} // namespace child
