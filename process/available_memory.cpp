#include "process/available_memory.hpp"

#include <algorithm>
#include <fstream>
#include <optional>
#include <string_view>

namespace process {

namespace {

constexpr uint64_t plenty = UINT64_MAX;

/// Behind that word, at the beginning of a line; an empty word: of the first line.
std::optional<uint64_t> number_behind(const std::string& file, std::string_view word) {
  std::ifstream in{file};
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with(word))
      continue;
    auto digits = line.find_first_of("0123456789", word.size());
    if (digits == line.npos) // "max"
      return std::nullopt;
    return std::strtoull(line.c_str() + digits, nullptr, 10);
  }
  return std::nullopt;
}

uint64_t left_of_machine(const std::string& proc) {
  auto kib = number_behind(proc + "/meminfo", "MemAvailable:");
  return kib ? *kib << 10U : plenty;
}

/// What a container finds there is its own.
uint64_t left_of_cgroup(const std::string& folder, const char* limit, const char* usage, std::string_view files_word) {
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
