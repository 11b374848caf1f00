// Which MCP servers exist: starts them when they are needed, resolves names, tells the catalog of their tools.
#pragma once

#include "actors/child_server.hpp"
#include "actors/reply_promise.hpp"
#include "messages/actors.hpp"
#include "messages/limits.hpp"
#include "proxy/names.hpp"
#include "proxy/tool_policy.hpp"

#include <caf/actor_addr.hpp>
#include <caf/actor_clock.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace actors {

/// How often tools may be called. Those of a server whose entry has a limit of its own follow that.
struct call_rates {
  msg::rate_limit per_server{}; ///< zero: unlimited
  msg::rate_limit per_tool{};
};

/// What comes of the tools of a server when the catalog can not hold them against what was approved.
enum class unreviewed_tools : uint8_t { taken, refused };

struct connector_options {
  std::vector<msg::server_entry> servers;
  std::vector<std::string> connect_at_start;
  connection_factory connect;
  background_work offload;
  std::function<background_work()> offload_of_server; ///< a line of its own for what each server makes us do; null: none
  msg::catalog_actor catalog;
  msg::rate_limiter_actor limiter;
  uint64_t jitter_seed = 0;
  child_limits limits{};
  uint32_t running_max = msg::limits::children_running_max;
  call_rates rates{};
  unreviewed_tools unreviewed = unreviewed_tools::taken;
  msg::name_policy policy{};    ///< of whole names, for all runs
  msg::audit_log_actor audit{}; ///< hears of the states of servers; null: no record does
};

class connector_state {
public:
  static inline const char* name = "connector";

  explicit connector_state(msg::connector_actor::pointer self) : self_(self) {}
  connector_state(const connector_state&) = delete;
  connector_state& operator=(const connector_state&) = delete;
  /// Its servers end with it, however it ends: no successor would find them again.
  ~connector_state();
  msg::connector_actor::behavior_type make_behavior(connector_options options);

private:
  static constexpr std::chrono::milliseconds stop_timeout = msg::limits::shutdown_max;
  /// 500 servers may have been started at once, and writing 23,000 tools takes 2 s.
  static constexpr std::chrono::seconds review_timeout{60};
  /// The handshake has its own time limit; this only makes the wait finite.
  static constexpr std::chrono::milliseconds start_timeout = msg::limits::child_handshake_timeout_max + std::chrono::seconds{30};
  /// Behind the indexing of many servers, or a disk that is slow.
  static constexpr std::chrono::seconds catalog_timeout{10};

  struct pending_review;
  using list_readers = std::vector<std::function<void(const msg::fault&)>>;
  struct server {
    msg::server_entry entry;
    msg::child_server_actor actor;       ///< null: not needed yet
    msg::tool_list tools;                ///< as last read by this process, without those that are held; what was read before is in the catalog
    msg::tool_list unreviewed_tools;     ///< with those that are held; empty: there are none
    proxy::name_table names;             ///< of these
    bool listed = false;                 ///< by this process
    uint64_t review = 0;                 ///< that this is of
    std::weak_ptr<list_readers> readers; ///< who waits for the list that was asked for; null: it was not
    bool has_slot = false;               ///< it runs, or may be started
    caf::actor_clock::time_point last_used;
    uint64_t since = 0;     ///< generations of the configuration that it is part of: from here
    uint64_t until = 0;     ///< to before here, once it is retired
    std::string last_error; ///< of the actor itself, when it died
    void take(pending_review& from);
    void update(const msg::tool_info& tool);
    /// Whether the tool is what was approved; of one that is not listed: whether nothing is held.
    bool is_settled(const std::string& tool) const;
    /// Whether the last list has it, and it may not be used.
    bool holds(const std::string& tool) const;
  };
  using resolve_promise = reply_promise<msg::outcome<msg::tool_info>>;
  using call_promise = reply_promise<msg::outcome<msg::tool_result>>;
  using search_promise = reply_promise<msg::outcome<msg::tool_matches>>;

  /// A search that waits for the servers it had to start.
  struct pending_search {
    msg::tool_query query;
    msg::tool_matches extra; ///< connected, failures
    size_t outstanding = 0;
    bool has_started = false;    ///< the servers that the question names
    bool has_told_again = false; ///< what the catalog had lost
    search_promise promise;
  };

  /// The names of all servers of one generation of the configuration.
  struct name_set {
    std::vector<std::string> names, trusted;
    proxy::name_table table, trusted_table; ///< what may be started goes first: an entry of a repository takes no name from the user's
    /// Null: there is no such server, by name or alias.
    const std::string* find(std::string_view written) const;
  };
  /// A list that is held against what was approved.
  struct pending_review {
    uint64_t number = 0;
    msg::server_entry entry;
    msg::tool_list list;           ///< as the server has told it; once it is reviewed: empty if nothing of it is held
    msg::reviewed_tools reviewed;  ///< until it is taken
    proxy::name_table names;       ///< of these
    bool is_lost = false;          ///< the catalog could not say what of it may be used, and it is not used
    std::vector<std::string> held; ///< once it is reviewed: tools that may not be used
    std::vector<std::function<void()>> then;
  };
  /// Wants a place that no server could give up yet.
  struct slot_search {
    std::vector<std::string> candidates; ///< that may give up theirs, the longest unused last
    std::function<void(msg::fault)> done;
  };

  msg::child_server_actor actor_of(server& s);
  server* find(const std::string& name, uint64_t run = 0);
  server* of_sender(const std::string& name);
  std::vector<server*> with_retired();
  const name_set& names_of(uint64_t run) const;
  msg::fault unknown_server(const std::string& name, uint64_t run = 0, const msg::tool_filter& allowed = {}) const;
  msg::fault unknown_tool(const server& s, const std::string& tool, const msg::tool_filter& allowed) const;
  msg::outcome<msg::tool_ref> locate(const msg::tool_ref& ref, const msg::tool_filter& allowed) const;
  msg::outcome<msg::tool_info> resolve_tool(const server& s, const std::string& tool, const msg::tool_filter& allowed) const;
  void ask_and_resolve(const msg::tool_ref& ref, const msg::tool_filter& allowed, resolve_promise promise);
  void resolve_reviewed(const msg::tool_ref& ref, const msg::tool_filter& allowed, resolve_promise promise);
  void read_list(const msg::tool_ref& ref, const std::shared_ptr<list_readers>& readers);
  void read_and_resolve(const msg::tool_ref& ref, const msg::tool_filter& allowed, resolve_promise promise);
  msg::fault refusal_of(const msg::tool_filter& allowed, const std::string& server, const std::string& tool) const;
  void observe(const msg::tool_ref& tool, msg::document& result);
  caf::result<msg::outcome<msg::tool_info>> describe(const msg::tool_ref& ref, const msg::tool_filter& allowed);
  caf::result<msg::outcome<msg::tool_info>> resolve(const msg::tool_ref& ref, const msg::tool_filter& allowed);
  caf::result<msg::outcome<msg::tool_result>> call(msg::tool_call& call);
  caf::result<msg::outcome<msg::tool_matches>> search(msg::tool_query& query);
  void ask_catalog(const std::shared_ptr<pending_search>& search);
  void answer_search(const std::shared_ptr<pending_search>& search, msg::catalog_found& found);
  bool tell_again(const std::vector<std::string>& not_indexed);
  std::vector<msg::fault> refused_in(const msg::tool_query& query) const;
  void start_named(const std::shared_ptr<pending_search>& search, const msg::catalog_found& found);
  caf::result<msg::outcome<uint32_t>> index(const std::string& name);
  caf::result<msg::server_list> statuses(const msg::tool_filter* filter);
  caf::result<std::vector<msg::server_start>> starts(const std::vector<msg::tool_ref>& tools);
  msg::server_status idle_status(const server& s) const;
  caf::result<bool> stop();
  void child_down(const caf::down_msg& down);
  void end_actor(const msg::child_server_actor& actor, std::function<void()> done);

  // ---- whether tools are what was approved
  bool watches_changes() const { return options_.unreviewed == unreviewed_tools::refused; }
  server* configured_as(const msg::server_entry& entry);
  std::shared_ptr<pending_review> review(const server& s, msg::tool_list tools);
  caf::result<msg::outcome<std::vector<std::string>>> tools_listed(const std::string& name, msg::tool_list& tools);
  std::shared_ptr<pending_review> review_of(const server& s) const;
  void put_in_order(const std::shared_ptr<pending_review>& pending);
  void in_order(uint64_t number, const msg::fault& problem);
  void end_review(const std::shared_ptr<pending_review>& pending);
  msg::outcome<msg::tool_info> resolve_listed(const server& s, const std::string& tool, const msg::tool_filter& allowed) const;

  // ---- how many, how often
  void with_server_slot(server& s, std::function<void(msg::fault)> done);
  void ask_for_slot(const std::shared_ptr<slot_search>& search, const std::string& wanted);
  void running(const std::string& name, bool runs);
  size_t slots_taken() const;
  msg::rate_claims claims_of(const server& s, const msg::tool_call& call) const;
  void call_in_time(msg::tool_call call, call_promise promise);
  void call_reviewed(msg::tool_call call, const std::shared_ptr<pending_review>& review, call_promise promise);
  bool goes_on(msg::call_key key);
  void cancel(const std::string& server, msg::call_key key);
  void end_calls_of(uint64_t run);

  // ---- another configuration
  void set_servers(msg::server_entries entries);
  void start_eager(const std::vector<std::string>& names);
  msg::server_changes reload(msg::server_entries entries);
  void record(const msg::server_changes& changes);
  void retire(server s);
  void run_begins(uint64_t run);
  bool run_ends(const caf::actor_addr& execution);
  uint64_t run_of_sender() const;
  void sweep_retired();

  msg::connector_actor::pointer self_;
  std::map<std::string, server> servers_;
  std::vector<server> retired_;        ///< still used by runs that began before they were
  std::map<uint64_t, name_set> names_; ///< by generation; the last one counts now
  uint64_t generation_ = 0;
  std::map<uint64_t, uint64_t> runs_; ///< generation that they began with
  std::map<caf::actor_addr, uint64_t> executions_;
  std::map<uint64_t, std::shared_ptr<bool>> goes_on_; ///< runs; false once they are over, for what is done for them bit by bit
  std::map<uint64_t, std::set<std::string>> called_;  ///< servers that runs have called
  std::vector<std::shared_ptr<pending_review>> reviews_;
  uint64_t review_number_ = 0;
  std::map<msg::call_key, call_promise> held_up_;    ///< calls that wait for something before their server gets them
  std::shared_ptr<const proxy::tool_policy> policy_; ///< other threads have it, too
  connector_options options_;                        ///< without the servers
  bool stopping_ = false;
};

msg::connector_actor::behavior_type connector(msg::connector_actor::stateful_pointer<connector_state> self, connector_options options);

} // namespace actors
