#include "sandbox/launch/prespawned_process.hpp"

#include "process/become.hpp"
#include "process/descriptor_message.hpp"
#include "process/shortage.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <span>
#include <string_view>
#include <sys/socket.h>
#include <unistd.h>

namespace process {

namespace {

constexpr int orders_number = 3; ///< in the waiting process; the cgroups follow
constexpr std::string_view further_descriptors = "+";

void append(std::string& to, const void* bytes, size_t count) { to.append(static_cast<const char*>(bytes), count); }

/// With its length: a byte of the text is never taken for its end.
void append(std::string& to, const c_text& text) {
  auto size = static_cast<uint32_t>(text.size());
  append(to, &size, sizeof size);
  append(to, text.c_str(), text.size() + 1);
}

std::string order_text(const launch& what) {
  prespawned_order head{what.user, ::getpid(), static_cast<uint32_t>(what.descriptors.size()),
                        static_cast<uint32_t>(what.argv.size()), static_cast<uint32_t>(what.environment.size())};
  std::string text;
  append(text, &head, sizeof head);
  for (auto& [ours, theirs] : what.descriptors) {
    auto number = static_cast<int32_t>(theirs);
    append(text, &number, sizeof number);
  }
  append(text, what.cwd);
  for (auto* texts : {&what.argv, &what.environment})
    for (auto& t : *texts)
      append(text, t);
  return text;
}

/// In as many messages as the descriptors need. 0, or errno.
int send_order(int to, std::string_view text, const std::vector<std::pair<int, int>>& placed) {
  std::vector<int> ours;
  ours.reserve(placed.size());
  for (auto& [number, theirs] : placed)
    ours.push_back(number);
  std::span<const int> descriptors{ours};
  auto problem = 0;
  do {
    auto now = descriptors.first(std::min(descriptors.size(), message_descriptors_max));
    problem = send_message(to, text, now);
    descriptors = descriptors.subspan(now.size());
    text = further_descriptors;
  } while (problem == 0 && !descriptors.empty());
  return problem;
}

} // namespace

msg::outcome<std::unique_ptr<prespawned_process>> prespawned_process::start(const asio::any_io_executor& executor,
                                                                            const std::string& program,
                                                                            const std::vector<int>& joins,
                                                                            int niceness) {
  int fds[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) != 0)
    return msg::fault{msg::errc::overloaded, "cannot open a channel to a sandbox: " + error_text(errno)};
  descriptor ours{fds[0]}, theirs{fds[1]};
  launch what;
  what.argv = {program};
  what.niceness = niceness;
  what.descriptors = {{theirs.get(), orders_number}};
  for (auto procs : joins)
    what.descriptors.emplace_back(procs, orders_number + static_cast<int>(what.descriptors.size()));
  auto started = process::start(executor, what);
  if (!started.ok())
    return std::move(started.error);
  return std::make_unique<prespawned_process>(std::move(started.value), std::move(ours));
}

msg::outcome<std::unique_ptr<child>> prespawned_process::exec(const launch& what) {
  if (auto unsound = check(what); unsound.code != msg::errc::none)
    return unsound;
  auto text = order_text(what);
  auto problem = what.descriptors.size() > prespawned_descriptors_max
                     || what.argv.size() + what.environment.size() > prespawned_strings_max
                     || text.size() > prespawned_order_bytes_max
                   ? E2BIG
                   : send_order(orders_.get(), text, what.descriptors);
  if (problem != 0)
    return msg::fault{problem == EPIPE || problem == ECONNRESET ? msg::errc::server_died
                                                                : msg::errc::server_start_failed,
                      "cannot start " + what.argv[0] + ": " + error_text(problem)};
  return std::move(child_);
}

} // namespace process
