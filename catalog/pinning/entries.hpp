// Which entries of a project's files the user has approved: by a digest of everything that decides what is started,
// what it is told and where it connects, as it is written. In a file that several servers share.
#pragma once

#include "messages/errors.hpp"
#include "messages/servers.hpp"

#include <cstddef>
#include <map>
#include <string>

namespace tool_pinning {

/// SHA-256, in hexadecimal digits. Variables count as they are written: what they hold is of no interest, and not
/// looked at.
std::string digest_of_entry(const msg::server_entry& entry);

/// How an entry stands to what the user has approved.
enum class standing : uint8_t { unknown, approved, changed };

/// As read at one time. One server is one name in one file of one project; it has one digest.
class approved_entries {
public:
  static constexpr size_t file_bytes_max = 4u << 20; ///< 10,000 entries, and no user approves so many
  static constexpr const char* file_name = "approved-servers.json";

  /// Of the user's state folder. Empty: nothing is approved, and nothing can be.
  static std::string path_in(const std::string& state_folder);
  /// No file is no approval. Neither is one that can not be read: `problem()` says why, for a person.
  static approved_entries read(const std::string& state_folder);

  standing of(const msg::server_entry& entry) const;
  const std::string& problem() const { return problem_; }

private:
  friend msg::fault approve_entry(const std::string& state_folder, const msg::server_entry& entry);

  std::map<std::string, std::string> digests_; ///< by server
  std::string problem_;
};

/// Approves the entry as it is now, for all servers that share the folder. What was approved of the same server before
/// is not any more.
msg::fault approve_entry(const std::string& state_folder, const msg::server_entry& entry);

} // namespace tool_pinning
