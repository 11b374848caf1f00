// The main thread at work, and its end.
#pragma once

#include <asio/io_context.hpp>

namespace cli {

/// Runs until the context is stopped, or has nothing to do. What is thrown in between had no caller to answer to: it is
/// logged, and all other work goes on.
void run_to_the_end(asio::io_context& io);

/// Whatever hangs, the process has ended limits::shutdown_max from now: by a signal, which needs neither the loop nor
/// memory.
/// `code`: what it ends with then.
void end_in_time(int code);

} // namespace cli
