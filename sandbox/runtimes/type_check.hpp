// Checks the types of a TypeScript program without running it: the compiler works in a box like that of a guest,
// without a channel and without network.
#pragma once

#include "messages/document.hpp"
#include "sandbox/isolation/box.hpp"

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>

#include <chrono>
#include <memory>
#include <string>

namespace sandbox {

/// Ends a check early; may be called at any time, also when it is over.
class type_check_stop {
public:
  void stop();
  bool is_stopped() const { return stopped_; }
  process::child* running = nullptr; ///< while it runs
  bool is_late = false;              ///< its time was up

private:
  bool stopped_ = false;
};

/// A check ends by then, however much time its program has: others wait for it.
inline constexpr std::chrono::milliseconds type_check_time_max{30'000};

struct type_check_job {
  std::string code;
  std::string servers;                 ///< declarations of McpServers and McpTools, see proxy/types/server_module.hpp
  std::chrono::milliseconds timeout{}; ///< of the program, and of the check up to type_check_time_max
};

/// Gives a list of `{line, column, message}`, in the lines of the code; an empty one if the types fit, or if the
/// program has mistakes that running it tells. The box is the one of find_deno(), with or without its cache. Must run
/// on the main thread. Faults: run_timeout, cancelled, runtime_missing (no namespaces: only there may it run), internal
/// (the compiler failed).
asio::awaitable<msg::outcome<msg::document>> check_types(asio::any_io_executor executor, box deno,
                                                         isolation_tools tools, type_check_job job,
                                                         std::shared_ptr<type_check_stop> stop);

} // namespace sandbox
