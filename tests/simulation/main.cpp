// simulate [SEEDS] [--from SEED] [--workers N]   plays so many seeds, and says which fail and by how few steps
// simulate --count SEEDS                         only says how many of so many fail
// simulate --plan "SEED: STEP..."                plays one plan, and tells everything that happens
// simulate --seed SEED                           the same of a seed
#include "tests/simulation/shrink.hpp"
#include "tests/simulation/workers.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace simulation {

namespace {

constexpr size_t failures_told_max = 10;

int play_one(const plan& what) {
  auto verdict = play(what, telling::everything);
  std::printf("%s\ndigest %016llx\n", to_text(what).c_str(), static_cast<unsigned long long>(verdict.digest));
  for (auto& mistake : verdict.mistakes)
    std::printf("  %s\n", mistake.c_str());
  return verdict.mistakes.empty() ? EXIT_SUCCESS : EXIT_FAILURE;
}

int count_failures(uint64_t count, uint32_t workers) {
  uint64_t failed = 0;
  play_all(0, count, workers, [&](const seed_result& r) { failed += !r.mistake.empty(); });
  std::printf("%llu of %llu seeds fail\n", static_cast<unsigned long long>(failed),
              static_cast<unsigned long long>(count));
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

int play_many(uint64_t first, uint64_t count, uint32_t workers) {
  auto begin = std::chrono::steady_clock::now();
  std::vector<seed_result> failed;
  play_all(first, count, workers, [&](const seed_result& r) {
    if (r.mistake.empty())
      return;
    failed.push_back(r);
    if (failed.size() <= failures_told_max)
      std::printf("seed %llu fails: %s\n", static_cast<unsigned long long>(r.seed), r.mistake.c_str());
  });
  std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  std::printf("%llu seeds, %zu failed, %.1f s, %.0f a minute\n", static_cast<unsigned long long>(count), failed.size(),
              took.count(), static_cast<double>(count) * 60 / took.count());
  if (failed.empty())
    return EXIT_SUCCESS;
  auto shortest = shrunk(plan_of(failed.front().seed), fails_elsewhere);
  std::printf("the shortest part of the first that fails: simulate --plan \"%s\"\n", to_text(shortest).c_str());
  return EXIT_FAILURE;
}

int run(const std::vector<std::string>& words) {
  uint64_t first = 0, count = 1'000;
  auto workers = std::max(1u, std::thread::hardware_concurrency());
  for (size_t i = 0; i < words.size(); ++i) {
    auto& word = words[i];
    auto value = i + 1 < words.size() ? words[i + 1] : std::string{};
    if (!word.starts_with("--")) {
      count = std::strtoull(word.c_str(), nullptr, 10);
      continue;
    }
    ++i;
    if (word == "--from")
      first = std::strtoull(value.c_str(), nullptr, 10);
    else if (word == "--workers")
      workers = static_cast<uint32_t>(std::max(1ul, std::strtoul(value.c_str(), nullptr, 10)));
    else if (word == "--count")
      return count_failures(std::strtoull(value.c_str(), nullptr, 10), workers);
    else if (word == "--seed")
      return play_one(plan_of(std::strtoull(value.c_str(), nullptr, 10)));
    else if (auto what = read_plan(value); word == "--plan" && what)
      return play_one(*what);
    else
      return std::fprintf(stderr, "simulate: what is %s %s?\n", word.c_str(), value.c_str()), 2;
  }
  return play_many(first, count, workers);
}

} // namespace

} // namespace simulation

int main(int argc, char** argv) { return simulation::run({argv + 1, argv + argc}); }
