#include "cli/main_loop.hpp"

#include "messages/limits.hpp"

#include <spdlog/spdlog.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <exception>

#include <sys/time.h>
#include <unistd.h>

namespace cli {

namespace {

using std::chrono::milliseconds;

/// After this the process ends, whatever is left: the guardian and bubblewrap see to the children.
constexpr milliseconds end_at_any_rate = msg::limits::shutdown_max - milliseconds{50};

volatile std::sig_atomic_t code_of_late_end = EXIT_SUCCESS; // a handler gets nothing else

} // namespace

void run_to_the_end(asio::io_context& io) {
  while (!io.stopped())
    try {
      io.run();
    } catch (const std::exception& e) {
      spdlog::error("the server failed: {}; it goes on", e.what());
    }
}

void end_in_time(int code) {
  code_of_late_end = code;
  std::signal(SIGALRM, [](int) { ::_exit(code_of_late_end); });
  itimerval once{{},
                 {std::chrono::duration_cast<std::chrono::seconds>(end_at_any_rate).count(),
                  (end_at_any_rate % std::chrono::seconds{1}).count() * 1'000}};
  ::setitimer(ITIMER_REAL, &once, nullptr);
}

} // namespace cli
