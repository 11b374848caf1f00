#include "faults/presets.hpp"

#include <algorithm>
#include <array>

namespace faults {

namespace {

struct preset {
  std::string_view name, summary, rules;
};

constexpr std::array<preset, 5> presets{{
  {"brownout", "Everything works, slowly; some of it gives up.",
   R"([{"match":"*","kind":"latency","p50":800,"p99":8000},
{"match":"*","kind":"timeout","probability":0.03},
{"match":"*","kind":"error","probability":0.05,"code":-32603,"message":"upstream request timed out"}])"},
  {"flaky", "A call in ten fails in one of the usual ways, and works the next time.",
   R"([{"match":"*","kind":"error","probability":0.04},
{"match":"*","kind":"disconnect","probability":0.02},
{"match":"*","kind":"empty","probability":0.02},
{"match":"*","kind":"garbage","probability":0.02}])"},
  {"half-deployed", "A new version has reached some of the machines.",
   R"([{"match":"*","kind":"schema_change","nth":3},
{"match":"*","kind":"wrong_type","probability":0.2},
{"match":"*","kind":"error","probability":0.1,"code":-32601,"message":"Method not found"}])"},
  {"rush-hour", "Everybody is there at once: quotas end, answers trickle.",
   R"([{"match":"*","kind":"rate_limited","every":4,"retryAfterMs":2000},
{"match":"*","kind":"latency","p50":300,"p99":4000}])"},
  {"poisoned", "Results that were written to be obeyed, and results that are too much.",
   R"([{"match":"*","kind":"injection","every":2},
{"match":"*","kind":"huge","probability":0.1,"bytes":200000}])"},
}};

const preset* find(std::string_view name) {
  auto found = std::find_if(presets.begin(), presets.end(), [name](auto& one) { return one.name == name; });
  return found == presets.end() ? nullptr : &*found;
}

} // namespace

std::vector<std::string_view> preset_names() {
  std::vector<std::string_view> names;
  names.reserve(presets.size());
  for (auto& one : presets)
    names.push_back(one.name);
  return names;
}

std::string_view preset_summary(std::string_view name) {
  auto* found = find(name);
  return found ? found->summary : std::string_view{};
}

msg::document preset_rules(std::string_view name) {
  auto* found = find(name);
  return found ? msg::document::parse(found->rules).value : msg::document{};
}

} // namespace faults
