#include "process/available_memory.hpp"

#include "process/child.hpp"

#include <algorithm>
#include <cstdlib>
#include <fcntl.h>
#include <optional>
#include <unistd.h>

namespace process {

namespace {

constexpr uint64_t plenty = UINT64_MAX;
/// `memory.stat` has 40 lines.
constexpr size_t file_bytes_max = 16u << 10;

/// Of the beginning of such a file; empty: it can not be read.
std::string read_beginning(const std::string& path) {
  descriptor file{::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)};
  std::string text(file_bytes_max, '\0');
  auto got = file ? ::read(file.get(), text.data(), text.size()) : 0;
  text.resize(got > 0 ? static_cast<size_t>(got) : 0);
  return text;
}

/// Behind that word, at the beginning of a line; an empty word: of the first line.
std::optional<uint64_t> number_behind(const std::string& file, const std::string& word) {
  auto text = "\n" + read_beginning(file);
  auto line = text.find("\n" + word);
  if (line == text.npos)
    return std::nullopt;
  auto end = std::min(text.find('\n', line + 1), text.size());
  auto digits = text.find_first_of("0123456789", line + 1 + word.size());
  if (digits >= end) // "max"
    return std::nullopt;
  return std::strtoull(text.c_str() + digits, nullptr, 10);
}

uint64_t left_of_machine(const std::string& proc) {
  auto kib = number_behind(proc + "/meminfo", "MemAvailable:");
  return kib ? *kib << 10U : plenty;
}

/// What a container finds there is its own.
uint64_t left_of_cgroup(const std::string& folder, const char* limit, const char* usage,
                        const std::string& files_word) {
  auto most = number_behind(folder + limit, {});
  auto used = number_behind(folder + usage, {});
  if (!most || !used)
    return plenty;
  auto files = number_behind(folder + "/memory.stat", files_word).value_or(0);
  auto held = *used - std::min(*used, files);
  return *most - std::min(*most, held);
}

} // namespace

uint64_t available_memory(const std::string& proc, const std::string& cgroups) {
  return std::min(
    {left_of_machine(proc), left_of_cgroup(cgroups, "/memory.max", "/memory.current", "inactive_file "),
     left_of_cgroup(cgroups + "/memory", "/memory.limit_in_bytes", "/memory.usage_in_bytes", "total_inactive_file ")});
}

} // namespace process
