// Which MCP servers exist: starts them when they are needed, resolves names, tells the catalog of their tools.
#pragma once

#include "actors/child_server.hpp"
#include "messages/actors.hpp"
#include "messages/limits.hpp"
#include "proxy/names.hpp"

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace actors {

struct connector_options {
  std::vector<msg::server_entry> servers;
  std::vector<std::string> connect_at_start;
  connection_factory connect;
  background_work offload;
  msg::catalog_actor catalog;
  uint64_t jitter_seed = 0;
};

class connector_state {
public:
  static inline const char* name = "connector";

  explicit connector_state(msg::connector_actor::pointer self) : self_(self) {}
  msg::connector_actor::behavior_type make_behavior(connector_options options);

private:
  static constexpr std::chrono::milliseconds stop_timeout = msg::limits::shutdown_max;
  /// The handshake has its own time limit; this only makes the wait finite.
  static constexpr std::chrono::seconds start_timeout{90};
  /// Behind the indexing of many servers, or a disk that is slow.
  static constexpr std::chrono::seconds catalog_timeout{10};
  /// 500 servers may have been started at once, and writing 23,000 tools takes 2 s.
  static constexpr std::chrono::seconds review_timeout{60};

  struct server {
    msg::server_entry entry;
    msg::child_server_actor actor; ///< null: not needed yet
    msg::tool_list tools;          ///< as last read by this process, without those that are held; what was read before is in the catalog
    msg::tool_list told;           ///< with those that are held; empty: there are none
    proxy::name_table names;       ///< of these
    bool listed = false;           ///< by this process
    std::string last_error;        ///< of the actor itself, when it died
    uint32_t reviews = 0;          ///< lists that are with the catalog
    std::vector<std::function<void()>> after_review;
    void take(msg::reviewed_tools reviewed, msg::tool_list list);
    void update(const msg::tool_info& tool);
    /// Whether the tool is what was approved; of one that is not listed: whether nothing is held.
    bool is_settled(const std::string& tool) const;
  };
  using resolve_promise = caf::typed_response_promise<msg::outcome<msg::tool_info>>;
  using search_promise = caf::typed_response_promise<msg::outcome<msg::tool_matches>>;

  /// A search that waits for the servers it had to start.
  struct pending_search {
    msg::tool_query query;
    msg::tool_matches extra; ///< connected, failures
    size_t outstanding = 0;
    bool has_started = false;    ///< the servers that the question names
    bool has_told_again = false; ///< what the catalog had lost
    search_promise promise;
  };

  msg::child_server_actor actor_of(server& s);
  server* find(const std::string& name);
  const std::string* configured_name(std::string_view written) const;
  msg::fault unknown_server(const std::string& name) const;
  msg::fault unknown_tool(const server& s, const std::string& tool, const msg::tool_filter& allowed) const;
  msg::outcome<msg::tool_ref> locate(const msg::tool_ref& ref) const;
  msg::outcome<msg::tool_info> resolve_tool(const server& s, const std::string& tool, const msg::tool_filter& allowed) const;
  void ask_and_resolve(const std::string& name, const std::string& tool, const msg::tool_filter& allowed, resolve_promise promise);
  void read_and_resolve(const std::string& name, const std::string& tool, const msg::tool_filter& allowed, resolve_promise promise);
  void review(const std::string& name, msg::tool_list tools);
  void reviewed(const std::string& name);
  void observe(const msg::tool_ref& tool, msg::document& result);
  caf::result<msg::outcome<msg::tool_info>> describe(const msg::tool_ref& ref, const msg::tool_filter& allowed);
  caf::result<msg::outcome<msg::tool_info>> resolve(const msg::tool_ref& ref, const msg::tool_filter& allowed);
  caf::result<msg::outcome<msg::tool_result>> call(msg::tool_call& call);
  caf::result<msg::outcome<msg::tool_matches>> search(msg::tool_query& query);
  void ask_catalog(const std::shared_ptr<pending_search>& search);
  void answer_search(const std::shared_ptr<pending_search>& search, msg::catalog_found& found);
  bool tell_again(const std::vector<std::string>& not_indexed);
  void start_named(const std::shared_ptr<pending_search>& search, const msg::catalog_found& found);
  caf::result<msg::outcome<uint32_t>> index(const std::string& name);
  caf::result<msg::server_list> statuses();
  msg::server_status idle_status(const server& s) const;
  caf::result<bool> stop();
  void child_down(const caf::down_msg& down);

  msg::connector_actor::pointer self_;
  std::map<std::string, server> servers_;
  std::vector<std::string> names_;
  proxy::name_table server_names_;
  connection_factory connect_;
  background_work offload_;
  msg::catalog_actor catalog_;
  uint64_t jitter_seed_ = 0;
  bool stopping_ = false;
};

msg::connector_actor::behavior_type connector(msg::connector_actor::stateful_pointer<connector_state> self, connector_options options);

} // namespace actors
