#include "cli/configuration_watch.hpp"

#include "catalog/pinning/entries.hpp"
#include "cli/probe.hpp"
#include "config/server_reload.hpp"
#include "process/offload.hpp"

#include <asio/redirect_error.hpp>
#include <asio/use_awaitable.hpp>
#include <spdlog/spdlog.h>

#include <set>
#include <string_view>
#include <system_error>
#include <utility>

namespace cli {

namespace {

/// Editors write in several steps, and clients several files; then everything is read once.
constexpr std::chrono::milliseconds settle_time{200};
/// A hundred files take less than a millisecond.
constexpr std::chrono::seconds unwatched_pause{2};

std::filesystem::file_time_type time_of(const std::string& file) {
  std::error_code ec;
  auto time = std::filesystem::last_write_time(file, ec);
  return ec ? std::filesystem::file_time_type{} : time;
}

/// What is approved changes the servers as well.
std::vector<std::string> all_places(const configuration_watch::places& where) {
  auto all = config::watched_places(where.environment);
  if (auto approved = tool_pinning::approved_entries::path_in(where.state_folder); !approved.empty())
    all.push_back(std::move(approved));
  return all;
}

struct another_look {
  config::server_list in_force;
  std::vector<std::string> new_problems;
};

/// Not on the loop: a project may have a thousand problems and more.
another_look compared(const config::server_list& before, config::server_list now) {
  another_look out;
  std::set<std::string_view> told(before.problems.begin(), before.problems.end());
  for (auto& problem : now.problems)
    if (!told.contains(problem))
      out.new_problems.push_back(problem);
  out.in_force = config::in_force(before, std::move(now));
  return out;
}

} // namespace

configuration_watch::configuration_watch(const asio::any_io_executor& executor, asio::any_io_executor worker,
                                         places where, config::server_list read_at_start, listener changed)
  : worker_(std::move(worker)),
    where_(std::move(where)),
    servers_(std::move(read_at_start)),
    start_(std::make_shared<start_of_serving>(servers_, where_.writable)),
    changed_(std::move(changed)),
    files_(executor),
    pause_(executor),
    places_(all_places(where_)),
    stamps_(stamps()),
    settings_time_(time_of(where_.settings_file)) {}

void configuration_watch::stop() {
  stopped_ = true;
  files_.cancel();
  pause_.cancel();
}

std::vector<std::pair<std::filesystem::file_time_type, uintmax_t>> configuration_watch::stamps() const {
  std::vector<std::pair<std::filesystem::file_time_type, uintmax_t>> out;
  for (auto& place : places_) {
    std::error_code ec;
    auto size = std::filesystem::file_size(place, ec);
    out.emplace_back(time_of(place), ec ? 0 : size);
  }
  return out;
}

bool configuration_watch::watch() {
  auto paths = places_;
  if (!where_.settings_file.empty())
    paths.push_back(where_.settings_file);
  return files_.set(paths);
}

asio::awaitable<void> configuration_watch::wait(std::chrono::milliseconds time) {
  pause_.expires_after(time);
  asio::error_code ignored;
  co_await pause_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
}

/// Watches again before each look: what changes meanwhile leads to another one. What can not be watched is looked at
/// from time to time: no program that uses up what the user has of inotify keeps us from hearing that something is not
/// allowed any more.
asio::awaitable<void> configuration_watch::run() {
  bool is_watched = watch();
  if (stamps() != stamps_) // since the start
    co_await read_again();
  while (!stopped_) {
    if (std::exchange(was_watched_, is_watched) && !is_watched)
      spdlog::warn("configuration: not all files can be watched (inotify); they are looked at every {} s instead",
                   unwatched_pause.count());
    bool has_changed = is_watched;
    if (is_watched)
      has_changed = co_await files_.changed();
    if (!has_changed && !stopped_)
      co_await wait(unwatched_pause);
    else if (!stopped_)
      co_await wait(settle_time);
    if (stopped_)
      co_return;
    is_watched = watch();
    look_at_settings();
    if (has_changed || stamps() != stamps_)
      co_await read_again();
  }
}

void configuration_watch::look_at_settings() {
  if (where_.settings_file.empty())
    return;
  auto time = time_of(where_.settings_file);
  if (std::exchange(settings_time_, time) != time)
    spdlog::info("settings: {} has changed; it counts from the next start on", where_.settings_file);
}

asio::awaitable<void> configuration_watch::read_again() {
  stamps_ = stamps();
  auto work = [where = where_, start = start_, before = servers_] {
    return compared(before, find_servers(where.environment, where.state_folder, start.get()));
  };
  auto read = co_await process::offload(worker_, std::move(work));
  if (!read.ok()) {
    spdlog::error("configuration: not read again: {}", read.error.message);
    co_return;
  }
  for (auto& problem : read.value.new_problems)
    spdlog::warn("configuration: {}; servers of that file that can not be read stay as they were", problem);
  bool is_other = read.value.in_force.entries != servers_.entries;
  servers_ = std::move(read.value.in_force);
  if (is_other && !stopped_)
    co_await changed_(servers_);
}

} // namespace cli
