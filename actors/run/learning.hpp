// Which results of a run the catalog learns from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>

namespace actors::run {

/// The first results of a run say nearly all that the others would.
class learning {
public:
  /// Results of one tool.
  static constexpr uint32_t results_max = 20;
  /// Memory of all of them: they wait for the catalog longer than for the program.
  static constexpr uint64_t bytes_max = 32u << 20;

  /// Whether one more is told, which counts then.
  bool take(const std::string& full_name, size_t held_bytes) {
    if (bytes_ + held_bytes > bytes_max || ++results_[full_name] > results_max)
      return false;
    bytes_ += held_bytes;
    return true;
  }

private:
  std::unordered_map<std::string, uint32_t> results_;
  uint64_t bytes_ = 0;
};

} // namespace actors::run
