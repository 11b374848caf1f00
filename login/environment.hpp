// What every login needs, and at which server it is.
#pragma once

#include "http/client.hpp"
#include "messages/servers.hpp"

#include <asio/any_io_executor.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

namespace login {

struct environment {
  asio::any_io_executor executor; ///< of the one thread
  asio::any_io_executor worker;   ///< of another thread: reads and writes files
  std::shared_ptr<http::client> client;
  std::string state_folder; ///< accounts are in `tokens/` below it
};

struct target {
  std::string name; ///< of the entry
  std::string url;  ///< of the server, variables expanded
  /// That its requests have anyway. They go to the server only, with the one request that asks what it wants.
  http::headers fields;
  msg::login_settings settings;
};

/// Since 1970.
inline int64_t now_s() {
  auto since = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::seconds>(since).count();
}

} // namespace login
