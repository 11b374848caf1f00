#include "tests/simulation/plan.hpp"

#include <array>
#include <charconv>
#include <numeric>
#include <utility>

namespace simulation {

namespace {

struct known_deed {
  deed what;
  std::string_view name;
  uint32_t weight; ///< how often it is chosen, compared with the others
};
constexpr std::array<known_deed, deeds_count> known_deeds{{{deed::run, "run", 20},
                                                           {deed::ask, "ask", 6},
                                                           {deed::cancel, "cancel", 5},
                                                           {deed::vanish, "vanish", 2},
                                                           {deed::go_on, "go_on", 40},
                                                           {deed::wait, "wait", 10},
                                                           {deed::jump, "jump", 2},
                                                           {deed::kill, "kill", 2},
                                                           {deed::kill_run, "kill_run", 2},
                                                           {deed::reload, "reload", 3},
                                                           {deed::break_server, "break_server", 6},
                                                           {deed::break_guest, "break_guest", 3},
                                                           {deed::disk, "disk", 3}}};

constexpr size_t steps_least = 20, steps_more = 90;
constexpr int luck_base = 16;

std::optional<step> read_step(std::string_view word) {
  auto dot = word.find('.');
  for (auto& [what, name, weight] : known_deeds) {
    if (dot == word.npos || word.substr(0, dot) != name)
      continue;
    step s{what, 0};
    auto number = word.substr(dot + 1);
    auto [end, problem] = std::from_chars(number.data(), number.data() + number.size(), s.luck, luck_base);
    if (problem == std::errc{} && end == number.data() + number.size())
      return s;
  }
  return std::nullopt;
}

} // namespace

std::string_view to_string(deed what) {
  for (auto& known : known_deeds)
    if (known.what == what)
      return known.name;
  return "?";
}

plan plan_of(uint64_t seed) {
  plan out{seed, {}};
  chance luck{seed};
  auto weights = known_deeds;
  for (auto& each : weights) // each seed has a character: some things happen often in it, or never
    if (each.what != deed::run && each.what != deed::go_on)
      each.weight = static_cast<uint32_t>(each.weight * luck.below(4) / 2);
  auto sum = std::accumulate(weights.begin(), weights.end(), 0u, [](auto n, auto& each) { return n + each.weight; });
  auto count = steps_least + luck.below(steps_more);
  while (out.steps.size() < count) {
    auto point = luck.below(sum);
    auto each = weights.begin();
    while (point >= each->weight)
      point -= (each++)->weight;
    out.steps.push_back({each->what, static_cast<uint32_t>(luck.next())});
  }
  return out;
}

std::string to_text(const plan& of) {
  auto out = std::to_string(of.seed) + ":";
  for (auto& s : of.steps) {
    std::array<char, 16> digits{};
    auto [end, problem] = std::to_chars(digits.data(), digits.data() + digits.size(), s.luck, luck_base);
    out.append(" ").append(to_string(s.what)).append(".").append(digits.data(), end);
  }
  return out;
}

std::optional<plan> read_plan(std::string_view text) {
  auto colon = text.find(':');
  plan out;
  if (colon == text.npos || std::from_chars(text.data(), text.data() + colon, out.seed).ec != std::errc{})
    return std::nullopt;
  for (auto rest = text.substr(colon + 1); !rest.empty();) {
    auto end = rest.find(' ');
    auto word = rest.substr(0, end);
    rest = end == rest.npos ? std::string_view{} : rest.substr(end + 1);
    if (word.empty())
      continue;
    auto s = read_step(word);
    if (!s)
      return std::nullopt;
    out.steps.push_back(*s);
  }
  return out;
}

} // namespace simulation
