#include "process/machine.hpp"

#include <filesystem>
#include <fstream>
#include <string_view>

#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace process {

namespace fs = std::filesystem;

namespace {

/// "VmRSS:   1234 kB" and the like.
uint64_t number_in(const std::string& line) {
  auto begin = line.find_first_of("0123456789");
  return begin == line.npos ? 0 : std::strtoull(line.c_str() + begin, nullptr, 10);
}

void read_status(msg::machine_status& to) {
  std::ifstream status{"/proc/self/status"};
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmRSS:"))
      to.resident_bytes = number_in(line) << 10U;
    else if (line.starts_with("Threads:"))
      to.threads = static_cast<uint32_t>(number_in(line));
  }
}

uint32_t open_descriptors() {
  uint32_t count = 0;
  std::error_code ec;
  for (fs::directory_iterator it{"/proc/self/fd", ec}, end; !ec && it != end; it.increment(ec))
    ++count;
  return count > 0 ? count - 1 : 0; // that of the folder itself
}

} // namespace

msg::machine_status look_at_machine(const std::string& state_folder) {
  msg::machine_status out;
  out.state_folder = state_folder;
  read_status(out);
  out.descriptors = open_descriptors();
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) == 0)
    out.descriptors_max = files.rlim_cur;
  struct statvfs disk {};
  for (fs::path folder{state_folder}; !folder.empty(); folder = folder.parent_path()) {
    if (::statvfs(folder.c_str(), &disk) == 0) {
      out.disk_free_bytes = uint64_t{disk.f_bavail} * disk.f_frsize;
      out.disk_bytes = uint64_t{disk.f_blocks} * disk.f_frsize;
      break;
    }
    if (folder == folder.root_path())
      break;
  }
  return out;
}

} // namespace process
