#include "config/units.hpp"

#include <cctype>
#include <charconv>
#include <limits>
#include <string>
#include <utility>

namespace config {

namespace {

using unit = std::pair<std::string_view, uint64_t>;

constexpr unit byte_units[] = {{"", 1},           {"b", 1},         {"k", 1u << 10},  {"kb", 1u << 10},
                               {"kib", 1u << 10}, {"m", 1u << 20},  {"mb", 1u << 20}, {"mib", 1u << 20},
                               {"g", 1u << 30},   {"gb", 1u << 30}, {"gib", 1u << 30}};
constexpr unit time_units[] = {{"", 1'000}, {"ms", 1}, {"s", 1'000}, {"m", 60'000}, {"h", 3'600'000}};

template <size_t N>
std::optional<uint64_t> parse(std::string_view text, const unit (&units)[N]) {
  uint64_t number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{})
    return std::nullopt;
  std::string suffix;
  for (char c : text.substr(static_cast<size_t>(end - text.data())))
    suffix += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (auto& [name, factor] : units)
    if (name == suffix && number <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max()) / factor)
      return number * factor;
  return std::nullopt;
}

} // namespace

std::optional<uint64_t> parse_bytes(std::string_view text) { return parse(text, byte_units); }

std::optional<std::chrono::milliseconds> parse_duration(std::string_view text) {
  auto ms = parse(text, time_units);
  return ms ? std::optional{std::chrono::milliseconds{static_cast<int64_t>(*ms)}} : std::nullopt;
}

} // namespace config
