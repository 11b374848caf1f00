// Which tools of which servers a person, or the first use of a server, has approved, and how they were then. In a file
// that several servers share, because an approval must outlive all of them.
#pragma once

#include "messages/errors.hpp"
#include "messages/servers.hpp"
#include "messages/tool_call.hpp"
#include "process/shared_database.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace tool_pinning {

/// By name of the tool: how it differs from what was approved, as a sentence goes on: "its description has changed
/// since it was approved".
using changes = std::map<std::string, std::string, std::less<>>;
/// The difference of one that was never approved.
inline constexpr auto change_of_new = "it is new since the tools of its server were approved";
/// By name of the tool: its canonical text.
using definitions = std::map<std::string, std::string, std::less<>>;

/// What of the list is not as it was approved. Of two tools of one name the first counts, and the other has changed.
changes compare(const definitions& approved, const msg::tool_list& tools);

/// One server is one name in one file of one project: an entry whose command was changed there is the same server, so
/// no author of an entry gets a new description approved by changing the entry along with it.
///
/// One thread at a time; any call may wait for the disk, and sqlite::busy_max for another server. When the file was
/// damaged, it lies aside in the folder, and until the user removes it from there no server is approved by its first
/// use.
class approvals {
public:
  /// The file is `folder`/approvals.db. An empty folder: what is approved is known as long as this object lives.
  explicit approvals(std::string folder, sqlite::clock now = std::chrono::system_clock::now);

  /// Whether others have approved something since the last call. True at first.
  bool has_changed();
  /// Whether a list of that content (any digest) was found to be as approved before. For lists that are looked at again
  /// and again.
  bool is_known(const msg::server_entry& server, std::string_view content) const;
  /// Holds the list against what was approved. The first list of a server that is not empty is approved by that.
  msg::outcome<changes> review(const msg::server_entry& server, std::string_view content, const msg::tool_list& tools);
  /// The same with nothing but what this object was asked to approve or to review like this.
  changes review_in_memory(const msg::server_entry& server, const msg::tool_list& tools);
  /// Approves the tools as they are in the list. Other tools of the server stay approved as they were.
  msg::fault approve(const msg::server_entry& server, const msg::tool_list& tools);
  /// All that is approved of the server.
  msg::outcome<definitions> approved(const msg::server_entry& server);

  /// What a person should hear of, once: the file was damaged. Empty: nothing.
  std::string take_warning() { return shared_.take_warning(); }

private:
  enum class occasion : uint8_t { first_use, approval };

  sqlite::database& db() { return shared_.db(); }
  int64_t seconds_now() const;
  int64_t id_of(const std::string& key);
  definitions read(int64_t server);
  msg::outcome<std::optional<changes>> compare_with_stored(const msg::server_entry& server, std::string_view content,
                                                           const msg::tool_list& tools);
  msg::fault keep(const msg::server_entry& server, occasion why, const msg::tool_list& tools);
  int64_t add_server(const msg::server_entry& server, const std::string& key);
  int64_t forget_content(int64_t server);
  void insert(int64_t server, const definitions& texts);
  void note_content(int64_t server, std::string_view content);
  std::string lost_file() const;

  std::string folder_;
  process::shared_database shared_;
  sqlite::clock now_;
  std::map<std::string, std::string> contents_;  ///< by key: the list that was as approved when it was looked at last
  std::map<std::string, definitions> in_memory_; ///< by key
  uint64_t seen_openings_ = UINT64_MAX;          ///< by has_changed()
  int64_t data_version_ = -1;                    ///< of SQLite: changes when others write
};

/// What a person is told to type: `code-executor trust 'my server'`.
std::string command_to_approve(std::string_view server);
/// The refusal of a call of a tool that is not what was approved.
msg::fault held_fault(const std::string& server, const std::string& tool);

} // namespace tool_pinning
