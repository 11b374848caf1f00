#include "sandbox/cgroup/process_tree.hpp"

#include "process/child.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <string_view>
#include <unistd.h>

namespace sandbox {

namespace {

/// The largest file read here is `children` of a process with many; the limit on processes is far below.
constexpr size_t file_bytes_max = 16u << 10;
/// A tree beyond this is not walked further; the limit on processes is far below.
constexpr size_t processes_max = 4'096;
/// Shared pages below this are the mapped files of an interpreter; above, it is worth asking what they are.
constexpr uint64_t shared_bytes_unasked = 32u << 20;

/// Reads a whole short file. Empty: there is none.
std::string_view read(int folder, const char* name, char (&buffer)[file_bytes_max]) {
  process::descriptor file{::openat(folder, name, O_RDONLY | O_CLOEXEC)};
  size_t size = 0;
  while (file && size < sizeof buffer) {
    auto n = ::read(file.get(), buffer + size, sizeof buffer - size);
    if (n <= 0)
      break;
    size += static_cast<size_t>(n);
  }
  return {buffer, size};
}

process::descriptor folder_of(pid_t pid) {
  return process::descriptor{::open(("/proc/" + std::to_string(pid)).c_str(), O_PATH | O_CLOEXEC)};
}

/// The first number in `text`, which is left behind it.
uint64_t number(std::string_view& text) {
  auto digits = text.find_first_of("0123456789");
  text.remove_prefix(std::min(digits, text.size()));
  uint64_t n = 0;
  auto end = std::from_chars(text.data(), text.data() + text.size(), n).ptr;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return n;
}

/// Bytes of a line such as "RssShmem:   12 kB".
uint64_t kilobytes(std::string_view text, std::string_view label) {
  auto found = text.find(label);
  if (found == text.npos)
    return 0;
  text.remove_prefix(found + label.size());
  return number(text) << 10;
}

struct folder_closer {
  void operator()(DIR* d) const { ::closedir(d); }
};

/// Calls `visit` with every name that is a number.
template <class F>
void for_each_number(int in, const char* name, F visit) {
  auto fd = ::openat(in, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  std::unique_ptr<DIR, folder_closer> folder{fd < 0 ? nullptr : ::fdopendir(fd)};
  while (auto* entry = folder ? ::readdir(folder.get()) : nullptr)
    if (entry->d_name[0] >= '0' && entry->d_name[0] <= '9')
      visit(entry->d_name);
}

/// Field 22 of stat: when it began. 0: it is gone. The name before it may contain anything.
uint64_t began(int process) {
  char buffer[file_bytes_max];
  auto text = read(process, "stat", buffer);
  auto name_end = text.rfind(')');
  if (name_end == text.npos || name_end + 3 > text.size())
    return 0;
  text.remove_prefix(name_end + 3);
  for (int field = 4; field < 22; ++field)
    number(text);
  return number(text);
}

/// Changes with every process and thread that is born anywhere: the number that the kernel gave away last. Empty: not
/// told.
std::string last_birth() {
  char buffer[file_bytes_max];
  auto text = read(AT_FDCWD, "/proc/loadavg", buffer);
  return std::string{text.substr(std::min(text.rfind(' ') + 1, text.size()))};
}

void add_children(int process, std::vector<pid_t>& to) {
  for_each_number(process, "task", [&](const char* thread) {
    char path[64], buffer[file_bytes_max];
    auto end = std::copy_n("task/", 5, path);
    end = std::copy_n(thread, std::strlen(thread), end);
    std::copy_n("/children", 10, end);
    for (auto text = read(process, path, buffer);
         text.find_first_of("0123456789") != text.npos && to.size() < processes_max;)
      to.push_back(static_cast<pid_t>(number(text)));
  });
}

// ---- memory ----------------------------------------------------------------------------------

/// The kernel's own memory for a process: a page for each 2 MiB of which something was only read.
constexpr std::string_view page_tables = "VmPTE:";

process_tree::holding bound_of(int process) {
  char buffer[file_bytes_max];
  static const auto page = static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  auto text = read(process, "statm", buffer);
  number(text);
  auto resident = number(text) * page, shared = number(text) * page;
  auto status = read(process, "status", buffer);
  process_tree::holding h;
  h.own = resident - std::min(shared, resident) + kilobytes(status, page_tables);
  if (shared > shared_bytes_unasked)
    h.shared = kilobytes(status, "RssShmem:");
  return h;
}

/// Where the kernel does not tell, the bound has to do.
process_tree::holding exact_of(int process) {
  char buffer[file_bytes_max];
  auto text = read(process, "smaps_rollup", buffer);
  if (text.find("Pss_Anon:") == text.npos)
    return bound_of(process);
  process_tree::holding h{kilobytes(text, "Pss_Anon:") + kilobytes(text, "SwapPss:"), kilobytes(text, "Pss_Shmem:")};
  h.own += kilobytes(read(process, "status", buffer), page_tables);
  return h;
}

} // namespace

void process_tree::walk(pid_t from, seen_processes& now) {
  std::vector<pid_t> waiting{from};
  for (size_t i = 0; i < waiting.size(); ++i) {
    auto pid = waiting[i];
    auto process = now.contains(pid) ? process::descriptor{} : folder_of(pid);
    if (!process)
      continue;
    auto before = seen_.find(pid);
    now.emplace(pid, before == seen_.end() ? began(process.get()) : before->second);
    alive_.push_back(pid);
    add_children(process.get(), waiting);
  }
}

const std::vector<pid_t>& process_tree::look() {
  alive_.clear();
  seen_processes now;
  walk(root_, now);
  for (auto& [pid, since] : seen_) { // those whose parents have died
    auto process = now.contains(pid) ? process::descriptor{} : folder_of(pid);
    if (process && began(process.get()) == since)
      walk(pid, now);
  }
  seen_ = std::move(now);
  return alive_;
}

process_tree::holding process_tree::bound() {
  holding all;
  for (auto pid : alive_)
    if (auto process = folder_of(pid))
      all += bound_of(process.get());
  return all;
}

process_tree::holding process_tree::exact() {
  holding all;
  for (auto pid : alive_)
    if (auto process = folder_of(pid))
      all += exact_of(process.get());
  return all;
}

uint64_t process_tree::memory(uint64_t limit_bytes) {
  if (auto births = last_birth(); births != births_ || births.empty()) {
    births_ = std::move(births);
    look();
  }
  auto most = bound();
  if (most.own + most.shared <= limit_bytes)
    return most.own + most.shared;
  look();
  auto all = exact();
  return all.own + all.shared;
}

} // namespace sandbox
