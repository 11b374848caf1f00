// The catalog of tools, one request after the other: the catalog itself works elsewhere, because it waits for the disk.
#pragma once

#include "actors/resilience/work_line.hpp"
#include "messages/actors.hpp"

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>

namespace actors {

/// Carries out one request on another thread; `done` is called on the main thread, once.
using background_catalog = std::function<void(msg::catalog_request, std::function<void(msg::catalog_answer)> done)>;

struct catalog_options {
  background_catalog carry_out;
  size_t requests_max = 0; ///< waiting, the one at work included; new tool lists do not count
  std::chrono::milliseconds save_delay{};
};

class catalog_state {
public:
  static inline const char* name = "catalog";

  explicit catalog_state(msg::catalog_actor::pointer self) : self_(self) {}
  msg::catalog_actor::behavior_type make_behavior(catalog_options options);

private:
  using answer = msg::catalog_answer;
  struct waiting_request {
    msg::catalog_request request;
    std::function<void(answer)> deliver;
    uint64_t run = 0; ///< that asks; 0: the client; see of_servers and of_results
    std::shared_ptr<std::atomic<bool>> is_over = std::make_shared<std::atomic<bool>>(false);
  };

  /// `part` is what of the answer the asker gets.
  template <class T>
  caf::result<msg::outcome<T>> ask(msg::catalog_request request, T answer::*part, uint64_t run = 0);
  void run_over(uint64_t run);
  caf::result<bool> finish();
  caf::result<msg::outcome<msg::reviewed_tools>> update(msg::server_entry& server, msg::listed_tools& tools);
  void push(msg::catalog_request request, std::function<void(answer)> deliver, uint64_t run = 0);
  bool replaced(waiting_request& unfinished);
  void save_later();
  using duration = caf::actor_clock::duration_type;
  duration had_by(uint64_t run) const;
  void choose_first(std::deque<waiting_request>& waiting);
  void count_turn(uint64_t run);
  void begin(waiting_request& request, uint64_t number);
  void finished(uint64_t number, answer& result);

  msg::catalog_actor::pointer self_;
  catalog_options options_;
  resilience::work_line<waiting_request> queue_{[this](auto& waiting, uint64_t number) {
    choose_first(waiting);
    begin(waiting.front(), number);
  }};
  std::map<uint64_t, duration> had_;   ///< by run that has not ended: of the time; others begin with `level_`
  duration level_{0};                  ///< what the last one that was chosen had had
  caf::actor_clock::time_point begun_; ///< the one at work
  bool will_save_ = false;
  std::string search_problem_; ///< of the last search that has ended
};

msg::catalog_actor::behavior_type catalog(msg::catalog_actor::stateful_pointer<catalog_state> self,
                                          catalog_options options);

} // namespace actors
