// Leaks are looked for when the tests have ended, in every thread that is still there: what one holds that is just
// ending (those of libcurl and getaddrinfo, which nobody joins) could be taken for a leak.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <iterator>
#include <thread>

namespace {

using namespace std::chrono_literals;

/// Nothing tells when a thread that nobody joins has ended.
constexpr auto looked_after = 10ms;
constexpr auto waited_max = 10s;

auto threads() {
  namespace fs = std::filesystem;
  return std::distance(fs::directory_iterator{"/proc/self/task"}, fs::directory_iterator{});
}

class last_threads : public testing::Environment {
public:
  void TearDown() override {
    auto deadline = std::chrono::steady_clock::now() + waited_max;
    while (threads() > 1 && std::chrono::steady_clock::now() < deadline)
      std::this_thread::sleep_for(looked_after);
  }
};

[[maybe_unused]] auto* const registered = testing::AddGlobalTestEnvironment(new last_threads);

} // namespace
