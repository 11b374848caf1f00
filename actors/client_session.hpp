// One client connection: answers its requests with the help of the others.
#pragma once

#include "actors/client/completion_requests.hpp"
#include "actors/client/outgoing_report.hpp"
#include "actors/client/run_intake.hpp"
#include "actors/client/server_questions.hpp"
#include "actors/client/told_runs.hpp"
#include "actors/client_wire.hpp"
#include "actors/reply_promise.hpp"
#include "mcp/server_protocol.hpp"
#include "messages/actors.hpp"
#include "messages/limits.hpp"
#include "proxy/surface/arguments.hpp"
#include "proxy/surface/recipient.hpp"
#include "proxy/surface/results.hpp"
#include "proxy/surface/surface.hpp"

#include <boost/json/object.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace actors {

struct client_session_options : client_wire {
  msg::admission_actor admission;
  msg::connector_actor connector;
  msg::artifacts_actor outputs;
  msg::health_actor health;
  msg::audit_log_actor audit; ///< null: nothing is recorded
  uint32_t connection = 1;    ///< its number, from 1: for the record
  uint64_t client = 1;        ///< of who it is, who may have several connections
  std::string owner;          ///< see msg::run_request
  /// The last number of a run in this process; null: no other client has any.
  std::shared_ptr<mcp::request_number> numbers;
  surface::shown_tools shown = surface::shown_tools::code;
  surface::result_form form = surface::result_form::text;
  size_t chars_max = msg::limits::model_text_chars_max;   ///< of each part of a result
  bool lists_resources = false;                           ///< kept outputs; they can be read in any case
  std::function<std::vector<std::string>()> server_names; ///< told to the client; empty: none
  surface::run_limits run_limits;
  /// For a client of 2026-07-28 that comes back with answers.
  std::chrono::milliseconds parked_wait = mcp::parked_request_max;
  bool is_nested = false;         ///< another server of ours has started this one
  std::string typescript_problem; ///< empty: there is a runtime
  std::string python_problem;
  std::function<std::vector<std::string>()> config_problems; ///< as it is now; empty: none
};

class client_session_state {
public:
  static inline const char* name = "client_session";

  explicit client_session_state(msg::client_session_actor::pointer self) : self_(self) {}
  msg::client_session_actor::behavior_type make_behavior(client_session_options options);

private:
  using number = mcp::request_number; ///< also of the run that the request becomes

  // ---- what a client asks
  mcp::server_callbacks callbacks();
  mcp::server_identity identity() const;
  void call_tool(const mcp::tool_request& request);
  void list_resources(number n);
  void read_resource(number n, const std::string& uri);
  void cancelled(number n);

  // ---- its tools
  void refuse_nested(number n, const surface::tool& t, const boost::json::object& arguments);
  void run(const surface::tool& t, const mcp::tool_request& request);
  void start_run_of_known_servers(const surface::tool& t, msg::run_request run, surface::presentation present);
  void start_run(const surface::tool& t, msg::run_request run, surface::presentation present);
  void keep_then_respond(number n, std::chrono::milliseconds timeout, client::outgoing_report report);
  void search_tools(number n, const boost::json::object& arguments);
  void get_tool_signature(number n, const boost::json::object& arguments);
  void list_servers(number n, const boost::json::object& arguments);
  void health(number n, const boost::json::object& arguments);

  // ---- the end
  void answer_at_stop(number n, std::function<void()> answer);
  void fail_at_stop(number n);
  caf::result<bool> stop();
  void answer_all();

  // ---- what it is told
  surface::recipient recipient(number n) const;
  void respond(number n, boost::json::object result);
  void respond_with(number n, const msg::document& result);
  void respond_error(number n, const mcp::rpc_refusal& why);
  void fail(number n, const msg::fault& why);
  void is_answered(number n);
  std::string client_name(number n) const;
  void record(msg::audit_event event);
  void tell(number n, const std::optional<client::told_runs::notice>& notice);
  void tick(number n);

  msg::client_session_actor::pointer self_;
  client_session_options options_;
  std::optional<client::run_intake> intake_;
  std::unique_ptr<mcp::server_protocol> protocol_;
  std::unique_ptr<client::completion_requests> completions_; ///< of the runs, to the client's model
  std::unique_ptr<client::server_questions> questions_;      ///< of servers, in the middle of calls of the runs
  client::told_runs told_;                                   ///< that are not answered yet
  std::set<number> checking_;                                ///< runs whose servers are looked up
  /// Requests for which others work; answers them with what there is.
  std::map<number, std::function<void()>> waiting_;
  std::vector<reply_promise<bool>> want_stop_; ///< answered when no request waits

  /// Whose tick is the end of the wait for last answers.
  static constexpr number of_no_request = 0;
};

msg::client_session_actor::behavior_type
client_session(msg::client_session_actor::stateful_pointer<client_session_state> self, client_session_options options);

} // namespace actors
