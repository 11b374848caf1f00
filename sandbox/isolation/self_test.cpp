#include "sandbox/isolation/self_test.hpp"

#include "messages/limits.hpp"
#include "text/printable.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <poll.h>
#include <system_error>
#include <unistd.h>

namespace sandbox {

namespace limits = msg::limits;
using std::chrono::milliseconds;
using kind = self_test_result::kind;

namespace {

constexpr size_t complaint_bytes_max = 500;
constexpr uint32_t trial_cpu_seconds = 35;
/// A self-test that was waited for once.
constexpr milliseconds second_look{20};

/// What it has printed: it is dead, so nothing more is coming.
std::string printed(const process::descriptor& from) {
  std::string text(complaint_bytes_max, '\0');
  auto n = ::read(from.get(), text.data(), text.size());
  text.resize(n > 0 ? static_cast<size_t>(n) : 0);
  while (!text.empty() && text.back() == '\n')
    text.pop_back();
  return text::printable(text);
}

bool ends_within(process::child& child, milliseconds time) {
  pollfd watched{child.pidfd.native_handle(), POLLIN, 0};
  int result = -1;
  while ((result = ::poll(&watched, 1, static_cast<int>(time.count()))) < 0 && errno == EINTR)
    ;
  return result == 1;
}

/// Namespaces that others hold are given back; none at all are for ever.
bool namespaces_are_off() {
  std::ifstream file{"/proc/sys/user/max_user_namespaces"};
  long most = -1;
  return file >> most && most == 0;
}

/// Bubblewrap and guest-init speak English: they have no locale.
bool says(const std::string& complaint, const std::string& text) { return complaint.find(text) != complaint.npos; }

bool is_of_namespaces(const std::string& complaint) {
  return says(complaint, "ENOSPC") || says(complaint, std::strerror(ENOSPC));
}

bool passes(const std::string& complaint) {
  constexpr std::array scarce{EAGAIN, ENOMEM, EMFILE, ENFILE, EINTR};
  return std::any_of(scarce.begin(), scarce.end(), [&](int error) { return says(complaint, std::strerror(error)); })
         || (is_of_namespaces(complaint) && !namespaces_are_off());
}

/// An exit code of bubblewrap above 128 is a signal of what it has started.
bool was_killed(const process::exit_status& status) {
  return status.code == (status.by_signal ? SIGKILL : 128 + SIGKILL);
}

self_test_result failure(std::string complaint) {
  auto what = passes(complaint) ? kind::unknown : kind::failed;
  return {what, std::move(complaint)};
}

} // namespace

/// A box without anything in it; guest-init without a command ends when it has done all else.
self_test_result isolation_self_test::start(const asio::any_io_executor& executor, const isolation_tools& tools) {
  box empty;
  empty.self_contained = true;
  empty.cpu_seconds = trial_cpu_seconds;
  try {
    auto prepared = prepare(empty, tools);
    if (!prepared.ok())
      return failure(std::move(prepared.error.message));
    auto err = process::make_pipe();
    process::descriptor nothing{::open("/dev/null", O_RDWR | O_CLOEXEC)};
    auto& launch = prepared.value.launch;
    launch.descriptors.insert(launch.descriptors.end(),
                              {{nothing.get(), 0}, {nothing.get(), 1}, {err.write.get(), 2}, {nothing.get(), 3}});
    auto child = process::start(executor, launch);
    if (!child.ok())
      return failure(std::move(child.error.message));
    running_ = std::move(child.value);
    said_ = std::move(err.read);
    started_ = std::chrono::steady_clock::now();
    return {kind::unknown, {}};
  } catch (const std::system_error& e) { // no descriptors
    return {kind::unknown, e.what()};
  }
}

self_test_result isolation_self_test::look(const asio::any_io_executor& executor, isolation_tools tools,
                                           const isolation& isolated) {
  auto time = running_ ? second_look : limits::isolation_probe_timeout;
  tools.isolated = isolated;
  if (!running_)
    if (auto started = start(executor, tools); !running_)
      return started;
  return ends_within(*running_, time) ? ended() : not_ended();
}

self_test_result isolation_self_test::not_ended() {
  auto lasted = std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - started_);
  if (lasted >= isolation_self_test_max)
    running_.reset(); // killed; the next look starts another
  return {kind::unknown, "it has not ended after " + std::to_string(lasted.count()) + " ms"};
}

self_test_result isolation_self_test::ended() {
  auto status = running_->reap();
  running_.reset();
  if (!status.by_signal && status.code == 0)
    return {kind::worked, {}};
  auto text = printed(said_);
  auto result = failure(text.empty() ? "it ended with " + status.text() : text);
  if (was_killed(status))
    result.what = kind::unknown;
  if (lacks_namespaces_for_good(result))
    result.what = kind::failed;
  return result;
}

/// A box within another one, say: how many the outer one permits can not be read here.
bool isolation_self_test::lacks_namespaces_for_good(const self_test_result& result) {
  if (result.what != kind::unknown || !is_of_namespaces(result.complaint)) {
    lacking_since_.reset();
    return false;
  }
  auto now = std::chrono::steady_clock::now();
  lacking_since_ = lacking_since_.value_or(now);
  return now - *lacking_since_ >= namespaces_lacking_max;
}

} // namespace sandbox
