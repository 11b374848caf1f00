// Values and texts that were too large for the model, kept as files until they expire.
#pragma once

#include "messages/artifacts.hpp"
#include "proxy/artifacts/folder.hpp"

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace artifacts {

/// `begin`, and what has gone by since: a clock that is set meanwhile ends nothing.
std::function<std::chrono::system_clock::time_point()> time_since(std::chrono::system_clock::time_point begin);

struct store_options {
  std::string folder; ///< made with the first file; empty: nothing can be kept
  std::chrono::seconds ttl{0};
  uint64_t bytes_max = 0; ///< of all files; of the owner that has most, those that end first make room
  std::function<std::chrono::system_clock::time_point()> now = time_since(std::chrono::system_clock::now());
};

/// For one thread at a time. Waits for the disk.
class store {
public:
  explicit store(store_options options);

  /// Carries it out, see msg::artifact_operation. One that can not be kept is missing in `kept`; the fault is the last
  /// one's if nothing could be kept.
  msg::outcome<msg::artifact_answer> run(const msg::artifact_request& request);
  /// Removes what has expired.
  void sweep();
  /// Programs read values by many parts, so those that were read last stay parsed (limits::outputs_parsed_bytes_max):
  /// until this.
  void forget();

private:
  /// What is there, as it was looked at last.
  class kept_files {
  public:
    void add(file_info file);
    uint64_t bytes() const { return bytes_; }
    /// Of the owner that has most bytes, the one that ends first; nothing is left: nothing. `next` counts as its
    /// owner's already: who keeps much drives out its own before that of others.
    std::optional<file_info> take_for(const file_info& next);

  private:
    struct of_owner {
      std::deque<file_info> by_end; ///< in the order in which they were added
      uint64_t bytes = 0;
    };
    std::map<std::string, of_owner, std::less<>> owners_; ///< by what stands for them in handles
    uint64_t bytes_ = 0;
  };

  msg::outcome<msg::artifact_answer> keep(const std::vector<msg::large_artifact>& large);
  msg::outcome<msg::kept_artifact> keep_one(const msg::large_artifact& large, kept_files& there);
  msg::outcome<msg::artifact_answer> read(const msg::artifact_query& query);
  msg::outcome<msg::artifact_answer> fetch(const std::string& handle);
  msg::artifact_answer list(std::string_view owner);
  bool find(const std::string& handle, file_info& file) const;
  msg::outcome<std::string> content_of(const file_info& file) const;
  msg::outcome<msg::document> value_of(const file_info& file);
  std::vector<file_info> living_files();
  kept_files look();
  bool make_room(kept_files& in, const file_info& next) const;
  void remember(const std::string& handle, const msg::document& value);
  int64_t now_ns() const;

  store_options options_;
  folder folder_;
  /// Handles of what this one has kept; the youngest is the first.
  std::deque<std::string> own_;
  std::deque<std::pair<std::string, msg::document>> parsed_; ///< by handle; the last that was read is the first
};

} // namespace artifacts
