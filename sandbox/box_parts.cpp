#include "sandbox/box_parts.hpp"

#include <fcntl.h>
#include <unistd.h>

namespace sandbox {

namespace {

/// Above the standard ones and the channel.
constexpr int first_source = 4;

} // namespace

uid_t guest_user() { return ::geteuid() == 0 ? nobody : 0; }

int hand_over(prepared_box& out, process::descriptor source) {
  auto number = first_source + static_cast<int>(out.sources.size());
  out.launch.descriptors.emplace_back(source.get(), number);
  out.sources.push_back(std::move(source));
  return number;
}

process::descriptor duplicate(const process::descriptor& of) { return process::descriptor{::fcntl(of.get(), F_DUPFD_CLOEXEC, 0)}; }

process::descriptor open_source(const mount& m) {
  return m.opened ? duplicate(*m.opened) : process::descriptor{::open(m.from.c_str(), O_PATH | O_CLOEXEC)};
}

void add_limits(std::vector<std::string>& arguments, const box& what) {
  auto add = [&](const char* key, size_t value) { arguments.push_back(key + std::to_string(value)); };
  add("data=", what.memory_bytes + what.reserved_bytes);
  add("nofile=", what.open_files);
  add("fsize=", what.file_bytes);
  add("cpu=", what.cpu_seconds);
}

void add_filter(std::vector<std::string>& arguments, const isolation& walls, prepared_box& out) {
  if (walls.filter)
    arguments.push_back("seccomp=" + std::to_string(hand_over(out, duplicate(*walls.filter))));
}

} // namespace sandbox
