#include "cli/main_loop.hpp"

#include <spdlog/spdlog.h>

#include <exception>

namespace cli {

void run_to_the_end(asio::io_context& io) {
  while (!io.stopped())
    try {
      io.run();
    } catch (const std::exception& e) {
      spdlog::error("the server failed: {}; it goes on", e.what());
    }
}

} // namespace cli
