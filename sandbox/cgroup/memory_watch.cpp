#include "sandbox/cgroup/memory_watch.hpp"

#include "sandbox/cgroup/process_tree.hpp"

#include <asio/post.hpp>

#include <exception>
#include <utility>
#include <vector>

namespace sandbox {

memory_watch::ticket::~ticket() {
  if (auto watch = of_.lock(); watch && number_ != 0)
    watch->watched_.erase(number_);
}

memory_watch::ticket memory_watch::watch(question too_much, std::function<void()> reached) {
  watched_.emplace(++last_number_, watched{std::move(too_much), std::move(reached)});
  if (!std::exchange(looking_, true))
    wait();
  return {weak_from_this(), last_number_};
}

memory_watch::ticket memory_watch::watch_tree(pid_t root, uint64_t bytes_max, std::function<void()> reached) {
  // One look at a time: the worker is one thread, and the next comes after its answer.
  auto tree = std::make_shared<process_tree>(root);
  return watch([tree, bytes_max] { return tree->memory(bytes_max) > bytes_max; }, std::move(reached));
}

void memory_watch::wait() {
  timer_.expires_after(interval);
  timer_.async_wait([weak = weak_from_this()](asio::error_code ec) {
    auto self = weak.lock();
    if (self && !ec)
      self->look();
  });
}

void memory_watch::look() {
  std::vector<std::pair<uint64_t, question>> questions;
  questions.reserve(watched_.size());
  for (auto& [number, w] : watched_)
    questions.emplace_back(number, w.too_much);
  if (questions.empty()) {
    looking_ = false;
    return;
  }
  asio::post(worker_, [weak = weak_from_this(), questions = std::move(questions), executor = timer_.get_executor()] {
    std::vector<uint64_t> above;
    for (auto& [number, too_much] : questions)
      try {
        if (too_much())
          above.push_back(number);
      } catch (const std::exception&) {
        continue; // not known: the next look comes soon
      }
    asio::post(executor, [weak, above = std::move(above)] {
      auto self = weak.lock();
      if (!self)
        return;
      for (auto number : above)
        self->told(number);
      self->wait();
    });
  });
}

void memory_watch::told(uint64_t number) {
  if (auto found = watched_.extract(number))
    found.mapped().reached();
}

} // namespace sandbox
