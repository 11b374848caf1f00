#include "sandbox/container/container_owner.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <unistd.h>

namespace sandbox {

namespace {

/// Field 22 of /proc/<pid>/stat, in clock ticks since boot; empty: no such process, or one that is dead and not yet
/// reaped.
std::string start_time(const std::string& pid) {
  std::ifstream file{"/proc/" + pid + "/stat"};
  std::string text{std::istreambuf_iterator<char>{file}, {}};
  auto name_end = text.rfind(')'); // the name may contain anything
  if (name_end == text.npos || name_end + 2 >= text.size() || text[name_end + 2] == 'Z' || text[name_end + 2] == 'X')
    return {};
  auto at = name_end + 2;
  for (int field = 3; field < 22 && at != text.npos; ++field)
    at = text.find(' ', at) == text.npos ? text.npos : text.find(' ', at) + 1;
  return at == text.npos ? std::string{} : text.substr(at, text.find(' ', at) - at);
}

/// The number in "pid:[4026531836]".
std::string pid_namespace() {
  std::error_code ec;
  auto link = std::filesystem::read_symlink("/proc/self/ns/pid", ec).string();
  auto open = link.find('['), close = link.find(']');
  return open == link.npos || close == link.npos ? "0" : link.substr(open + 1, close - open - 1);
}

bool is_number(std::string_view text) { return !text.empty() && text.find_first_not_of("0123456789") == text.npos; }

} // namespace

std::string owner_of_this_process() {
  auto pid = std::to_string(::getpid());
  return pid_namespace() + "-" + pid + "-" + start_time(pid);
}

bool owner_is_dead(std::string_view owner) {
  auto first = owner.find('-'), last = owner.rfind('-');
  if (first == owner.npos || first == last)
    return false;
  auto space = owner.substr(0, first), pid = owner.substr(first + 1, last - first - 1),
       started = owner.substr(last + 1);
  if (!is_number(space) || !is_number(pid) || !is_number(started) || space != pid_namespace())
    return false;
  return start_time(std::string{pid}) != started;
}

} // namespace sandbox
