#include "cli/self_test.hpp"

namespace cli {

namespace {

using clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// After the program's end, or the timeout, the processes are killed, which is a matter of milliseconds.
constexpr milliseconds end_max{2'000};

struct course {
  self_test_result result;
  clock::time_point started = clock::now();
  std::shared_ptr<sandbox::guest> guest;
  std::string code;
  bool ended = false;

  milliseconds elapsed() const { return std::chrono::duration_cast<milliseconds>(clock::now() - started); }
  void finish() {
    if (!guest)
      return;
    auto output = guest->finish();
    result.diagnostics += output.diagnostics.head + output.diagnostics.tail;
    guest = nullptr;
  }
};

asio::awaitable<void> take(std::shared_ptr<course> c, msg::document frame) {
  if (!c->guest)
    co_return;
  if (proxy::frame_type(frame) == "ready") {
    c->result.ready_after = c->elapsed();
    c->guest->watch_memory();
    c->guest->send(proxy::run_frame({c->code, false}));
    co_return;
  }
  auto parsed = proxy::parse_frame(frame);
  auto* done = std::get_if<proxy::guest_done>(&parsed);
  if (!done)
    co_return;
  c->result.done = true;
  c->result.end = std::move(*done);
  c->result.took = c->elapsed();
  c->finish();
}

} // namespace

self_test_result try_guest(asio::io_context& io, const guest_starter& start, const std::string& code,
                           milliseconds timeout) {
  auto c = std::make_shared<course>();
  c->code = code;
  sandbox::guest_events events;
  events.frame = [c](msg::document frame) { return take(c, std::move(frame)); };
  events.ended = [c](msg::guest_exit how) {
    c->result.exit = std::move(how);
    c->ended = true;
    if (!c->result.done)
      c->result.took = c->elapsed();
    c->finish();
  };
  auto started = start(std::move(events));
  if (!started.ok()) {
    c->result.problem = std::move(started.error.message);
    return c->result;
  }
  c->guest = std::move(started.value);
  auto deadline = c->started + timeout;
  while (!c->ended && c->guest && io.run_one_until(deadline) > 0)
    ;
  if (c->guest) {
    c->result.problem = "it did not end within " + std::to_string(timeout.count()) + " ms";
    c->finish();
  }
  deadline = clock::now() + end_max;
  while (!c->ended && io.run_one_until(deadline) > 0)
    ;
  return c->result;
}

} // namespace cli
