#include "actors/client/outgoing_report.hpp"

#include "messages/limits.hpp"
#include "proxy/surface/large.hpp"

#include <algorithm>
#include <utility>

namespace client {

namespace limits = msg::limits;
using std::chrono::milliseconds;

outgoing_report::outgoing_report(const surface::tool& t, msg::run_report report, surface::presentation present,
                                 const std::string& owner)
  : tool_(t),
    report_(std::move(report)),
    present_(std::move(present)) {
  auto taken = surface::take_large(report_, tool_.shape, present_.chars_max);
  large_ = std::move(taken.large);
  surface::give_to(owner, large_);
  unwritten_ = surface::still_written(large_);
  present_.described = std::move(taken.described);
}

milliseconds outgoing_report::patience(milliseconds timeout) const {
  auto left = timeout - milliseconds{report_.duration_us / 1'000};
  return std::min(limits::outputs_wait_max, std::max(left, milliseconds{0}) + limits::outputs_wait_after_deadline);
}

boost::json::object outgoing_report::result(msg::outcome<msg::artifact_answer> kept) {
  present_.kept = std::move(kept.value.kept);
  present_.keep_problem = std::move(kept.error.message);
  return result();
}

boost::json::object outgoing_report::result_in_time() {
  present_.kept = std::move(unwritten_);
  return result();
}

} // namespace client
