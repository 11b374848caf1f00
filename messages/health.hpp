// How the whole server is, for the tool `health` and for those who look after the machine.
#pragma once

#include "messages/audit.hpp"
#include "messages/fields.hpp"
#include "messages/guest.hpp"
#include "messages/isolation.hpp"
#include "messages/servers.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace msg {

/// What the process needs, and what is left. Numbers that could not be had are 0.
struct machine_status {
  uint64_t resident_bytes = 0;
  uint32_t descriptors = 0; ///< open
  uint64_t descriptors_max = 0;
  uint32_t threads = 0;
  std::string state_folder; ///< empty: there is none
  uint64_t disk_free_bytes = 0;
  uint64_t disk_bytes = 0; ///< of the file system that the state folder is on
  auto fields() {
    return std::tie(resident_bytes, descriptors, descriptors_max, threads, state_folder, disk_free_bytes, disk_bytes);
  }
};

/// What the process found when it started, and its walls as they are now.
struct start_status {
  std::string typescript_problem; ///< empty: there is a runtime
  std::string python_problem;
  std::vector<std::string> config_files; ///< that were read
  std::vector<std::string> config_problems;
  isolation_report isolation;
  isolation_report container; ///< of Python; no mode: it runs in boxes like everything else
  document faults;            ///< that are injected: seed, rules, and how many of each kind; null: none are
  auto fields() {
    return std::tie(typescript_problem, python_problem, config_files, config_problems, isolation, container, faults);
  }
};

struct health_report {
  uint64_t uptime_ms = 0;
  uint32_t runs_running = 0;
  uint32_t runs_queued = 0;
  uint32_t runs_max = 0;
  uint32_t queue_max = 0;
  uint64_t runs_finished = 0;
  std::vector<server_status> servers;
  std::vector<pool_status> pools;
  std::vector<session_status> sessions;
  audit_status audit;
  std::string catalog_problem; ///< of the last search; empty: it went well
  machine_status machine;
  start_status start;
  std::vector<std::string> silent; ///< actors that did not answer in time
  auto fields() {
    return std::tie(uptime_ms, runs_running, runs_queued, runs_max, queue_max, runs_finished, servers, pools, sessions,
                    audit, catalog_problem, machine, start, silent);
  }
};

} // namespace msg
