#include "actors/run/displays.hpp"

#include "messages/limits.hpp"
#include "proxy/guest_frames.hpp"

#include <utility>

namespace actors::run {

namespace limits = msg::limits;
using msg::errc;

bool displays::admit(size_t frame_bytes) {
  bytes_ += frame_bytes;
  bool fits = shown_.size() < limits::display_blocks_max && bytes_ <= limits::display_bytes_max;
  missing_ += fits ? 0 : 1;
  return fits;
}

bool displays::looked_at(msg::display_block block, const msg::fault& problem) {
  if (problem.code == errc::none)
    shown_.push_back(std::move(block));
  else if (problem.code != errc::guest_protocol)
    ++missing_;
  return problem.code != errc::guest_protocol;
}

std::string displays::note() const {
  if (missing_ == 0)
    return {};
  return std::to_string(missing_) + (missing_ == 1 ? " block that was displayed is" : " blocks that were displayed are")
         + " missing: one run may display " + std::to_string(limits::display_blocks_max) + " blocks of "
         + std::to_string(limits::display_bytes_max >> 20) + " MiB in all.";
}

msg::fault look_at(const msg::display_block& block) {
  return proxy::can_be_shown(block) ? msg::fault{} : msg::fault{errc::guest_protocol, proxy::no_display};
}

} // namespace actors::run
