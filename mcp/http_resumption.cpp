#include "mcp/http_resumption.hpp"

#include "http/field_text.hpp"

#include <algorithm>

namespace mcp {

using std::chrono::milliseconds;

namespace {

/// Unless the server says when.
constexpr milliseconds pause_first{1'000};
/// Even if it says so; twice as long each time that nothing came.
constexpr milliseconds pause_min{100};
constexpr milliseconds pause_max_for_answer{1'000}, pause_max_for_anything{10'000};
/// Of one that the server has refused again and again, as child::listen_pause_max has it for the streams of 2026-07-28.
constexpr milliseconds pause_max_in_outage{5 * 60'000};
constexpr int doublings_max = 12;
constexpr uint16_t unauthorized_status = 401, too_often = 429, server_fails = 500, not_implemented = 501;

milliseconds doubled(milliseconds time, int times) { return time * (1 << std::min(times, doublings_max)); }

} // namespace

void http_resumption::ended(const ended_stream& how) {
  bool may_come = how.status == 0 || how.status == too_often || how.status >= server_fails;
  may_come |= how.status == unauthorized_status && what_ == awaited::anything; // there may be another login by then
  is_refused_ = !how.is_stream && (!may_come || how.status == not_implemented);
  if (how.retry)
    retry_ = how.retry;
  bool has_id = !how.last_id.empty() && http::is_field_value(how.last_id); // others can not be sent back
  bool is_news = how.has_messages || (has_id && how.last_id != last_id_);
  is_news |= how.is_stream && what_ == awaited::anything;
  if (!how.last_id.empty())
    last_id_ = has_id ? how.last_id : std::string{};
  tries_ = is_news ? 0 : tries_ + 1;
  hurries_ = is_news ? 0 : hurries_;
  quiet_ = how.has_messages ? 0 : quiet_ + 1;
}

milliseconds http_resumption::pause() const {
  auto times = std::max(quiet_ - 1, 0);
  auto most = what_ == awaited::answer        ? pause_max_for_answer
              : tries_ < http_resumptions_max ? pause_max_for_anything
                                              : pause_max_in_outage;
  auto usual = std::min(doubled(pause_first, times), most);
  return std::max(retry_.value_or(usual), std::min(doubled(pause_min, times), most));
}

/// Where streams end in good order, calls that go well say nothing new.
milliseconds http_resumption::hurried_pause() const {
  return tries_ == 0 ? pause() : std::min(pause(), doubled(pause_first, hurries_));
}

} // namespace mcp
