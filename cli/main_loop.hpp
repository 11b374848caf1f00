// The main thread at work.
#pragma once

#include <asio/io_context.hpp>

namespace cli {

/// Runs until the context is stopped, or has nothing to do. What is thrown in between had nobody to answer to: it is logged, and everybody else
/// goes on.
void run_to_the_end(asio::io_context& io);

} // namespace cli
