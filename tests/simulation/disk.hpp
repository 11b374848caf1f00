// The disk of the record in a simulation: the real log in a folder of its own, full, slow or locked at times.
#pragma once

#include "actors/audit_log.hpp"
#include "audit/log.hpp"
#include "tests/simulation/world.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace simulation {

class disk {
public:
  using wall_clock = std::function<std::chrono::system_clock::time_point()>;

  /// `folder` is there, and empty.
  disk(world& w, std::string folder, wall_clock now);

  actors::background_audit writer();
  void change();
  /// What is on it: whole, chained, and of each run one begin and one end at most.
  void check();
  /// Unless lines were lost: of each run that has begun, that it has ended.
  void check_ends();
  uint64_t lines() const { return lines_; }

  /// Lines of that kind.
  uint64_t count(msg::audit_kind kind) const;

private:
  enum class mood : uint8_t { well, full, slow, locked };
  struct known_lines {
    uint64_t begins = 0, ends = 0, calls = 0;
    bool success = false;
    std::string mark;
  };

  void write(const actors::audit_batch& batch, const std::function<void(audit::write_report)>& done, int delays);
  void check_run(uint64_t number, const known_lines& run);
  void note(const msg::audit_event& event);

  world& world_;
  std::string folder_;
  wall_clock now_;
  audit::log log_;
  line line_;
  mood mood_ = mood::well;
  uint64_t lines_ = 0;
  std::map<msg::audit_kind, uint64_t> kinds_;
  std::map<uint64_t, known_lines> runs_;
};

} // namespace simulation
