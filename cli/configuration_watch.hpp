// Follows the files that list servers while the program serves.
#pragma once

#include "cli/probe.hpp"
#include "config/server_list.hpp"
#include "process/file_watch.hpp"

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/steady_timer.hpp>

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace cli {

/// Lives as long as the process.
class configuration_watch {
public:
  struct places {
    config::environment environment;
    std::string state_folder;
    std::string settings_file;         ///< only told of; empty: there is none
    std::vector<std::string> writable; ///< security.allowWrite
  };
  /// Gets what is in force now.
  using listener = std::function<asio::awaitable<void>(const config::server_list&)>;

  configuration_watch(const asio::any_io_executor& executor, asio::any_io_executor worker, places where,
                      config::server_list read_at_start, listener changed);

  asio::awaitable<void> run();
  void stop();
  /// In force.
  const config::server_list& servers() const { return servers_; }

private:
  /// Times and sizes of all places.
  std::vector<std::pair<std::filesystem::file_time_type, uintmax_t>> stamps() const;
  bool watch();
  asio::awaitable<void> wait(std::chrono::milliseconds time);
  void look_at_settings();
  asio::awaitable<void> read_again();

  asio::any_io_executor worker_;
  places where_;
  config::server_list servers_;
  std::shared_ptr<const start_of_serving> start_;
  listener changed_;
  process::file_watch files_;
  asio::steady_timer pause_;
  std::vector<std::string> places_;
  std::vector<std::pair<std::filesystem::file_time_type, uintmax_t>> stamps_; ///< when they were read last
  std::filesystem::file_time_type settings_time_;
  bool was_watched_ = true;
  bool stopped_ = false;
};

} // namespace cli
