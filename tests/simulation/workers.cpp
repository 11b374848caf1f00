#include "tests/simulation/workers.hpp"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace simulation {

namespace {

/// Of one seed: it takes a hundredth of that.
constexpr unsigned seconds_max = 30;

struct worker {
  pid_t pid = -1;
  int from = -1;     ///< descriptor of what it says
  uint64_t next = 0; ///< seed that it plays
  std::string unread;
};

/// A line for each seed: what is wrong first, or nothing.
[[noreturn]] void work(int to, uint64_t seed, uint64_t last, uint64_t step) {
  for (; seed < last; seed += step) {
    ::alarm(seconds_max);
    auto verdict = play(plan_of(seed));
    auto line = (verdict.mistakes.empty() ? std::string{} : verdict.mistakes.front()) + "\n";
    if (::write(to, line.data(), line.size()) != static_cast<ssize_t>(line.size()))
      break;
  }
  ::_exit(0);
}

worker start(uint64_t seed, uint64_t last, uint64_t step) {
  worker w;
  w.next = seed;
  int ends[2];
  if (::pipe(ends) != 0)
    std::abort();
  std::fflush(nullptr);
  w.pid = ::fork();
  if (w.pid == 0) {
    ::close(ends[0]);
    work(ends[1], seed, last, step);
  }
  ::close(ends[1]);
  w.from = ends[0];
  return w;
}

std::string how_it_ended(pid_t pid) {
  int status = 0;
  ::waitpid(pid, &status, 0);
  if (WIFSIGNALED(status))
    return WTERMSIG(status) == SIGALRM ? "it never ends" : "it ends with signal " + std::to_string(WTERMSIG(status));
  return "it ends with exit code " + std::to_string(WEXITSTATUS(status));
}

} // namespace

void play_all(uint64_t first, uint64_t count, uint32_t workers, const std::function<void(const seed_result&)>& hear) {
  auto last = first + count;
  std::vector<worker> all;
  for (uint64_t n = 0; n < workers && n < count; ++n)
    all.push_back(start(first + n, last, workers));
  while (!all.empty()) {
    std::vector<pollfd> open;
    for (auto& w : all)
      open.push_back({w.from, POLLIN, 0});
    ::poll(open.data(), open.size(), -1);
    for (size_t i = open.size(); i-- > 0;) {
      if (open[i].revents == 0)
        continue;
      auto& w = all[i];
      char bytes[4096];
      auto got = ::read(w.from, bytes, sizeof bytes);
      w.unread.append(bytes, got > 0 ? static_cast<size_t>(got) : 0);
      for (size_t end; (end = w.unread.find('\n')) != std::string::npos; w.next += workers) {
        hear({w.next, w.unread.substr(0, end)});
        w.unread.erase(0, end + 1);
      }
      if (got > 0)
        continue;
      ::close(w.from);
      auto how = how_it_ended(w.pid);
      auto died_at = w.next;
      all.erase(all.begin() + static_cast<std::ptrdiff_t>(i));
      if (died_at >= last)
        continue;
      hear({died_at, how});
      if (died_at + workers < last)
        all.push_back(start(died_at + workers, last, workers));
    }
  }
}

bool fails_elsewhere(const plan& what) {
  std::fflush(nullptr);
  auto pid = ::fork();
  if (pid == 0) {
    ::alarm(seconds_max);
    ::close(STDERR_FILENO);
    ::_exit(play(what).mistakes.empty() ? 0 : 1);
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  return !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}

} // namespace simulation
