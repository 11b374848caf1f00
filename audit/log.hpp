// Writes the record. Every line has the digest of the line before, across files: see docs/audit.md. Several processes
// may write into one folder; each appends its lines in one piece, under a lock that it never waits for.
#pragma once

#include "audit/head.hpp"
#include "audit/key.hpp"
#include "audit/place.hpp"
#include "audit/tail.hpp"
#include "messages/audit.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace audit {

/// One file, which is that of a day unless it has a name of its own: a client that is refused without end makes 23 MB a
/// second (measured), and would fill the disk. A run makes some 2 kB.
inline constexpr uint64_t file_bytes_max = 1u << 30;

struct log_options {
  place where;
  uint32_t retention_days = 30; ///< of day files; 1 or more
  std::string process;          ///< see run_id()
  std::string key;              ///< see key_file(); empty: the head is not sealed
  std::function<std::chrono::system_clock::time_point()> now = [] { return std::chrono::system_clock::now(); };
  uint64_t bytes_max = file_bytes_max;
};

enum class write_result : uint8_t {
  written,
  busy,   ///< another process is writing: nothing was written, try again
  failed, ///< nothing was written
};

struct write_report {
  write_result result = write_result::written;
  std::string problem; ///< of a failure
  std::string warning; ///< of something that is not ours to repair; empty: none
};

/// Makes the folder, and the files of a record in one file, before the first line: so that nothing else is made under
/// these names meanwhile. What can not be made is told with the first line.
void make_place(const place& where);

class log {
public:
  /// Makes nothing yet.
  explicit log(log_options options) : options_(std::move(options)) {}

  /// All of them or none, on disk as far as the kernel is concerned: a crash of the process loses nothing, a loss of
  /// power may lose seconds (nothing waits for the disk, fsync per batch would cost milliseconds).
  write_report append(const std::vector<msg::audit_event>& events);

private:
  struct tail {
    std::string file;   ///< to write to
    uint64_t size = 0;  ///< of that
    std::string digest; ///< of the last line, wherever that is
    bool is_torn = false;
    bool is_new = true; ///< the file
  };

  write_report write(int head, const std::vector<std::string>& bodies);
  seal_key key_for(std::string& warning) const;
  void doubt(head_record& known, const seal_key& key, std::string& warning) const;
  bool has_no_lines() const;
  void rename_misdated(head_record& known, std::string& warning) const;
  tail find_tail(const head_record& known, std::string& warning) const;
  std::string first_link(const std::string& after) const;
  bool is_of_now(const last_line& last, const std::string& next_link) const;
  void remove_expired(int fd, head_record& head, const std::string& key, std::string& warning) const;
  std::string failed(const std::string& doing, int error) const;

  log_options options_;
};

} // namespace audit
