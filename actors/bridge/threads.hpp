// The threads besides the main one. What others make us do has threads of its own, and everything that all runs need
// has, too: it never waits behind the work of one that is hostile.
#pragma once

#include "messages/limits.hpp"
#include "process/fair_threads.hpp"

#include <asio/thread_pool.hpp>

namespace bridge {

struct threads {
  /// Parsing, writing and checking of what guests and servers say: a line for each.
  process::fair_threads work{msg::limits::work_threads};
  process::fair_threads outputs{1}; ///< the store of outputs: a line for each run
  asio::thread_pool record{1};
  asio::thread_pool catalog{1};
  asio::thread_pool memory{1};
  asio::thread_pool watch{1}; ///< of the memory of guests
  asio::thread_pool host{1};  ///< what the client says, the configuration, the machine

  /// Waits for what all runs need, and drops what others have made us do and was not begun.
  void join() {
    work.join();
    outputs.join();
    record.join();
    catalog.join();
    memory.join();
    watch.join();
    host.join();
  }
};

} // namespace bridge
