// The tools of all servers that were ever connected, and what was learned of their results, in one SQLite file. Several
// servers may use one file at once; every write happens wholly or not at all. Losing the file costs reading the tools
// again.
#pragma once

#include "messages/catalog.hpp"
#include "messages/errors.hpp"
#include "messages/limits.hpp"
#include "messages/servers.hpp"
#include "process/shared_database.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace catalog {

using time_point = sqlite::time_point;
using clock = sqlite::clock;

struct stored_server {
  std::string digest;  ///< of its entry
  std::string content; ///< digest of its tools: lists that are equal have the same
  uint32_t tools = 0;
};

/// Of the content of a list, in order.
std::string digest_of(const msg::tool_list& tools);

/// What the results of a tool looked like so far.
struct stored_shape {
  msg::document counts; ///< as proxy::learned_types has written it; null: nothing is known
  uint32_t samples = 0; ///< results that it was learned from
  uint32_t version = 0; ///< counts its changes
};

/// One thread at a time; any call may wait for the disk, and sqlite::busy_max for another server. A damaged file is put
/// aside and forgotten: the call that found it answers as if there was nothing.
class store {
public:
  /// The file is `folder`/catalog.db. It is made by the first write. An empty folder: nothing can be written.
  explicit store(std::string folder, clock now = std::chrono::system_clock::now);

  /// Whether the file has changed since the last call, by others or by being lost. True at first.
  bool has_changed();
  /// All that are in the file.
  msg::outcome<std::vector<stored_server>> servers();
  /// The tools of that server, in order; the texts live during the call.
  using tool_reader =
    std::function<void(std::string_view name, std::string_view description, std::string_view definition)>;
  msg::fault read(const std::string& digest, const tool_reader& take);
  /// Single tools, in the order asked for, until `take` says that it is enough; a tool that is not there is left out.
  struct place {
    std::string_view digest;
    uint32_t position;
  };
  using place_reader =
    std::function<bool(size_t which, std::string_view name, std::string_view description, std::string_view definition)>;
  msg::fault read(const std::vector<place>& places, const place_reader& take);

  /// Replaces all tools of the server. Writes nothing but the day if they are the same. limit_exceeded: they are too
  /// many bytes.
  msg::fault replace(const msg::server_entry& entry, const std::string& digest, const msg::tool_list& tools);
  /// The servers are configured: they are not swept soon. Writes at most once a day.
  msg::fault touch(const std::vector<std::string>& digests);
  /// Removes what was not seen for catalog_unseen_max, then, oldest first, what is beyond catalog_total_bytes_max.
  msg::fault sweep(size_t bytes_max = msg::limits::catalog_total_bytes_max);

  msg::outcome<stored_shape> observed(const std::string& digest, const std::string& tool);
  /// Of a server that is stored. Its version becomes one more than the stored one.
  msg::fault observe(const std::string& digest, const std::string& tool, const stored_shape& shape);

  /// What a person should hear of, once: a damaged file was put aside. Empty: nothing.
  std::string take_warning();

private:
  bool is_empty() const;
  sqlite::database& db() { return shared_.db(); }
  int64_t seconds_now() const;
  void insert(int64_t server, const msg::tool_list& tools, const std::vector<std::string>& definitions);

  process::shared_database shared_;
  clock now_;
  bool is_possible_;                    ///< there is a folder
  uint64_t seen_openings_ = UINT64_MAX; ///< by has_changed()
  int64_t data_version_ = -1;           ///< of SQLite: changes when others write
};

} // namespace catalog
