// The tools of all configured servers, connected or not: the index of the search in memory, the definitions in the
// store. Where nothing can be written, both are in memory until the program ends.
#pragma once

#include "catalog/list_update.hpp"
#include "catalog/listing.hpp"
#include "catalog/pinning/approvals.hpp"
#include "catalog/server_names.hpp"
#include "catalog/store.hpp"
#include "messages/catalog.hpp"
#include "messages/servers.hpp"
#include "tool_search/rank.hpp"
#include "tool_search/search_index.hpp"
#include "tool_search/snapshot.hpp"

#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace catalog {

/// Whether a tool may be found; of an empty name: any tool of the server.
using may_use = std::function<bool(const std::string& server, std::string_view tool)>;
/// Makes a filter ready for one question about many tools. What comes of it is always the same for the same filter.
using read_filter = std::function<may_use(const msg::tool_filter& filter)>;
/// Asked again and again by what takes long, on the thread that does it: errc::none: it goes on; else why it ends.
/// Empty: it goes on.
using reason_to_stop = std::function<msg::fault()>;

/// What becomes of tools that are not what was approved.
enum class changed_tools : uint8_t {
  unwatched, ///< the catalog does not look
  marked,    ///< they may be used, and say so: tool_info::changed
  held,      ///< they are not found
};

/// Who approves, and what comes of it. Without approvals of others, the catalog has its own.
struct pinning {
  changed_tools rule = changed_tools::unwatched;
  std::shared_ptr<tool_pinning::approvals> approvals;
};

/// Not for two threads at once. Any call may wait for the disk; the first one opens the store and the index.
class tool_catalog {
public:
  /// Servers that are not to be used have `unusable` set. The folder is made when there is something to write; empty:
  /// nothing is written.
  tool_catalog(std::string folder, const std::vector<msg::server_entry>& servers, read_filter allowed,
               pinning pins = {}, clock now = std::chrono::system_clock::now);

  /// Reads a list that update() is to have. False: it is long, and not all of it is read yet at that time; questions
  /// may be asked meanwhile, which know nothing of it.
  bool prepare(const std::string& server, const msg::listed_tools& tools, list_update::time_point end);
  /// What the server has told just now replaces what is known of it. Gives what of it may be used.
  msg::reviewed_tools update(const std::string& server, const msg::listed_tools& tools);
  /// Whether the server is configured, and like that.
  bool knows(const msg::server_entry& entry) const;
  /// What may be used of the list of a server that is not. Nothing is stored but what is approved by that.
  msg::reviewed_tools review(const msg::server_entry& entry, const msg::listed_tools& tools);
  /// `query.server` is a configured name. An empty text lists all tools, in order of server and name. A long list takes
  /// several calls: there is something in `so_far` then, which the next one is to have, and the answer is that of the
  /// last.
  using progress = std::shared_ptr<msg::catalog_progress>;
  msg::outcome<msg::catalog_found> search(const msg::tool_query& query, const reason_to_stop& stops, progress& so_far);
  /// Which of the names is meant by what a caller wrote; -1: none.
  using speller = std::function<int(std::string_view wanted)>;
  using make_speller = std::function<speller(const std::vector<std::string_view>& names)>;
  /// One tool of a server, by a speller that is made once for the questions to come. unknown_tool: none, or nothing is
  /// known of the server; tool_changed: it is held.
  msg::outcome<msg::tool_info> find(const std::string& server, std::string_view wanted, const make_speller& make);
  /// Whether find() gives this tool for what a caller wrote. Reads no definition.
  bool is_meant(const std::string& server, std::string_view tool, std::string_view wanted, const make_speller& make);
  /// In order of name.
  msg::indexed_servers servers();

  msg::outcome<stored_shape> observed(const std::string& server, const std::string& tool);
  /// Where nothing can be written, nothing is kept.
  msg::fault observe(const std::string& server, const std::string& tool, const stored_shape& shape);

  /// Writes the index if it has changed, and once in a while forgets what no user has configured for long. A fault is
  /// no harm: the next start takes longer.
  msg::fault save();

  /// What a person should hear of, once. Empty: nothing.
  std::string take_warning();

private:
  struct server {
    msg::server_entry entry;
    std::string digest;
    std::string content;    ///< digest of the tools in the index; empty: there are none
    msg::listed_tools held; ///< what could not be stored
    bool is_held = false;
    tool_pinning::changes changes;                      ///< against what was approved
    bool is_reviewed = false;                           ///< the changes are those of the content
    std::string told;                                   ///< to a person, last
    std::chrono::steady_clock::time_point told_since{}; ///< the minute in which `told_count` reports were
    uint32_t told_count = 0;
  };
  struct spelled_names {
    std::vector<uint32_t> numbers;
    speller spell;
    std::optional<uint32_t> find(std::string_view wanted) const;
  };
  struct spelled_server {
    spelled_names usable, held;
  };
  struct permitted {
    msg::tool_filter filter;
    std::vector<bool> tools; ///< by number
    bool is_everything = false;
  };

  server* known(const std::string& name);
  void bring_up_to_date();
  void be_ready_to_search();
  void load_index();
  void follow_store();
  void read_from_store(server& s);
  const spelled_server& spelled(const std::string& server, const make_speller& make);
  bool is_named_by(uint32_t held, std::string_view wanted) const;
  std::pair<std::optional<uint32_t>, std::optional<uint32_t>>
  usable_or_held(const std::string& server, std::string_view wanted, const make_speller& make);
  msg::fault permit(const msg::tool_filter& filter, const may_use& may, const reason_to_stop& stops,
                    permitted& to) const;
  using permitted_tools = const std::vector<bool>*; ///< by number; nullptr: all
  msg::outcome<permitted_tools> permitted_by(const msg::tool_filter& filter, const may_use& may,
                                             const reason_to_stop& stops);
  tool_places places_of(const std::vector<uint32_t>& tools);
  msg::catalog_found list_on(const std::shared_ptr<listing>& of, progress& so_far);
  void rank(const msg::tool_query& query, permitted_tools permitted, msg::tool_matches& to);
  read_definitions_result definitions_of(const std::vector<uint32_t>& tools);
  void list_has_changed(server& s, std::string content);
  void follow_approvals();
  void review_stored(server& s);
  void review_unreviewed(server& s, const msg::tool_list& tools);
  std::pair<tool_pinning::changes, std::string> changes_of(const msg::server_entry& entry, const std::string& content,
                                                           const msg::tool_list& tools);
  void set_changes(server& s, tool_pinning::changes changes);
  void report(server& s);
  msg::outcome<msg::listed_tools> stored_list(const server& s);
  bool is_shut(const std::string& server, std::string_view tool) const;
  void forget_questions();
  void mark(msg::tool_info& tool) const;
  static void mark(msg::tool_info& tool, const tool_pinning::changes& changes);
  msg::reviewed_tools usable(const server& s, const msg::listed_tools& tools) const;
  msg::fault held_fault(const server& s, const std::string& tool) const;
  std::vector<tool_search::indexed_list> made_of() const;
  std::string index_path() const;
  msg::fault store_held();
  void sweep_indexes() const;
  void warn(const std::string& problem);

  std::string folder_;
  read_filter allowed_;
  changed_tools rule_;
  store store_;
  std::shared_ptr<tool_pinning::approvals> approvals_;
  std::map<std::string, server> servers_;
  std::map<std::string, list_update> updates_; ///< that go on, by server
  server_names names_;
  std::string set_digest_; ///< of all entries
  tool_search::search_index index_;
  std::optional<permitted> permitted_to_all_; ///< who ask for nothing in particular; of the index as it is now
  std::deque<std::pair<msg::tool_filter, msg::fault>> too_slow_;
  std::optional<permitted> last_permitted_;       ///< to the others
  std::map<std::string, spelled_server> spelled_; ///< of the index as it is now, of at most spelled_names_max names
  size_t spelled_count_ = 0;
  bool is_loaded_ = false;
  bool is_built_ = false;
  bool is_saved_ = true; ///< what is in the index is on disk
  bool is_swept_ = false;
  std::string warning_;
  std::string warned_of_;            ///< last
  std::string warned_of_approvals_;  ///< last
  std::vector<std::string> reports_; ///< of approvals, not told yet
};

/// However many turns it takes.
msg::catalog_found search_to_the_end(tool_catalog& of, const msg::tool_query& query);

} // namespace catalog
