// What a run that has ended is reported as, and what the end of its guest says of it.
#pragma once

#include "messages/errors.hpp"
#include "messages/guest.hpp"
#include "messages/run.hpp"
#include "proxy/guest_frames.hpp"

#include <cstdint>
#include <string>

namespace actors::run {

struct ending {
  msg::run_status status = msg::run_status::error;
  msg::program_error error;
  int32_t exit_code = 1;
  bool never_ready = false; ///< the guest was not started; `error` says how it ended, see start_failure()
};

/// An end that the program did not choose.
msg::program_error reason(msg::errc code, std::string message);
/// A run that came to nothing for that reason.
ending failure(msg::errc code, std::string message);

/// Of a program that came to its end.
ending ending_of(proxy::guest_done& done);
/// Of a guest that ended before its program had said so.
ending ending_of(const msg::guest_exit& how);
/// What a guest that was ended for its memory had of it; 0: not known.
uint64_t memory_bytes_of(const msg::guest_exit& how);

/// Of a guest that was never ready. `diagnostics`: what it has printed on stderr; of a server's length, it is
/// shortened. `end`: how it ended, which is told where it has printed nothing.
msg::program_error start_failure(msg::language lang, const std::string& diagnostics, const std::string& end);

} // namespace actors::run
