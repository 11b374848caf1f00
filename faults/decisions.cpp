#include "faults/decisions.hpp"

#include "proxy/name_patterns.hpp"

#include <algorithm>
#include <cmath>

namespace faults {

namespace {

constexpr std::string_view all_others = "(others)";

/// FNV-1a over bytes.
uint64_t mixed_in(uint64_t hash, std::string_view bytes) {
  for (unsigned char byte : bytes)
    hash = (hash ^ byte) * 0x100000001b3ULL;
  return hash;
}

uint64_t mixed_in(uint64_t hash, uint64_t number) {
  for (int i = 0; i < 8; ++i, number >>= 8U)
    hash = (hash ^ (number & 0xffU)) * 0x100000001b3ULL;
  return hash;
}

/// The end of splitmix64: every bit depends on all of them.
uint64_t finished(uint64_t x) {
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31U);
}

/// Half of them below p50, 99 of 100 below p99: log-logistic, which needs no table.
std::chrono::milliseconds spread(const rule& by, double chance) {
  auto u = std::clamp(chance, 0.001, 0.999);
  auto shape = std::log(99.0) / std::log(std::max(1.0001, double(by.p99.count()) / double(by.p50.count())));
  auto ms = double(by.p50.count()) * std::pow(u / (1 - u), 1 / shape);
  return std::chrono::milliseconds{static_cast<int64_t>(std::min(ms, double(delay_max.count())))};
}

std::chrono::milliseconds length_of(const rule& by, double chance) {
  if (by.what != kind::latency)
    return std::chrono::milliseconds{0}; // it depends on the answer
  return by.p50.count() > 0 ? spread(by, chance) : by.lasts;
}

} // namespace

uint64_t chance_begun(uint64_t seed, size_t rule, std::string_view name) {
  return mixed_in(mixed_in(mixed_in(0xcbf29ce484222325ULL, seed), uint64_t{rule}), name);
}

double chance(uint64_t begun, uint64_t number) {
  return double(finished(mixed_in(begun, number)) >> 11U) / double(uint64_t{1} << 53U);
}

double chance(uint64_t seed, size_t rule, std::string_view name, uint64_t number) {
  return chance(chance_begun(seed, rule, name), number);
}

std::vector<decisions::counted::rule_of_name> decisions::matching(std::string_view name, moment when) const {
  std::vector<counted::rule_of_name> out;
  for (size_t i = 0; i < plan_.rules.size(); ++i)
    if (auto& rule = plan_.rules[i]; rule.when == when
                                     && std::any_of(rule.match.begin(), rule.match.end(),
                                                    [&](auto& pattern) { return proxy::matches(pattern, name); }))
      out.push_back({i, chance_begun(plan_.seed, i, name)});
  return out;
}

/// Those beyond names_max have their counters in common, and each the rules that match it.
decisions::counted& decisions::find(std::string_view name, moment when) {
  auto& names = counted_[static_cast<size_t>(when)];
  auto known = names.find(name);
  if (known != names.end())
    return known->second;
  auto& out = names[std::string{names.size() >= names_max ? all_others : name}];
  out.rules = matching(name, when);
  out.hits.resize(plan_.rules.size());
  return out;
}

bool decisions::fires(const counted::rule_of_name& one, counted& of) const {
  auto& rule = plan_.rules[one.number];
  auto& hits = of.hits[one.number];
  if (of.calls <= rule.after || (rule.times > 0 && hits >= rule.times))
    return false;
  auto call = of.calls - rule.after;
  bool is_hit = rule.nth > 0     ? call == rule.nth
                : rule.every > 0 ? call % rule.every == 0
                                 : chance(one.begun, of.calls) < rule.probability;
  hits += is_hit ? 1 : 0;
  return is_hit;
}

decision decisions::next(std::string_view name, moment when) {
  auto& of = find(name, when);
  decision out;
  out.number = ++of.calls;
  for (size_t place = 0; place < of.rules.size() && !(out.delay && out.fault); ++place) {
    auto& one = of.rules[place];
    auto& rule = plan_.rules[one.number];
    auto& slot = is_delay(rule.what) ? out.delay : out.fault;
    if (slot || !fires(one, of))
      continue;
    slot = &rule;
    if (&slot == &out.delay)
      out.delayed_by = length_of(rule, chance(~plan_.seed, one.number, name, out.number));
  }
  return out;
}

} // namespace faults
