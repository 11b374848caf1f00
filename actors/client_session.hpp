// One client connection: answers its requests with the help of the others.
#pragma once

#include "mcp/server_protocol.hpp"
#include "messages/actors.hpp"
#include "proxy/surface/arguments.hpp"
#include "proxy/surface/results.hpp"
#include "proxy/surface/surface.hpp"

#include <boost/json/object.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace actors {

struct client_session_options {
  msg::admission_actor admission;
  msg::connector_actor connector;
  msg::artifacts_actor outputs;
  msg::health_actor health;
  msg::audit_log_actor audit; ///< null: nothing is recorded
  uint32_t connection = 1;    ///< its number, for the record
  std::function<void(msg::spliced_text)> send;
  surface::shown_tools shown = surface::shown_tools::code;
  surface::result_form form = surface::result_form::text;
  size_t chars_max = msg::limits::model_text_chars_max;   ///< of each part of a result
  bool lists_resources = false;                           ///< kept outputs; they can be read in any case
  std::function<std::vector<std::string>()> server_names; ///< told to the client; empty: none
  surface::run_limits run_limits;
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
  using number = mcp::request_number;
  struct open_sample {
    uint64_t request = 0;
    caf::typed_response_promise<msg::outcome<msg::model_answer>> promise;
  };
  /// A run whose client wants to hear how it goes on.
  struct told_run {
    caf::actor_clock::time_point started, told; ///< told: when it heard of it last
    msg::run_progress last;
  };
  void call_tool(mcp::tool_request& request);
  void run(number n, const surface::tool& t, const mcp::tool_request& request);
  void refuse_nested(number n, const surface::tool& t, const boost::json::object& arguments);
  void check_servers_then_run(number n, const surface::tool& t, msg::run_request run, surface::presentation how);
  void start_run(number n, const surface::tool& t, msg::run_request run, surface::presentation how);
  void keep_then_respond(number n, const surface::tool& t, msg::run_report& report, uint32_t timeout_ms, surface::presentation how);
  void list_resources(number n);
  void read_resource(number n, const std::string& uri);
  void search_tools(number n, const boost::json::object& arguments);
  void get_tool_signature(number n, const boost::json::object& arguments);
  void list_servers(number n, const boost::json::object& arguments);
  void health(number n, const boost::json::object& arguments);
  std::string client() const;
  size_t chars_max() const;
  void record_refusal(number n, msg::language language, const boost::json::object& arguments, const msg::fault& why);
  void record_refusal(number n, const msg::fault& why);
  void respond(number n, boost::json::object result);
  void begin_progress(number n);
  void progressed(const msg::run_progress& progress);
  void tell_progress(number n, told_run& run, const std::string& what);
  void still_running(number n);
  caf::result<msg::outcome<msg::model_answer>> sample(msg::call_key key, const msg::model_request& request);
  void give_up_sample(msg::call_key key);
  const std::string& runtime_problem(msg::language l) const;

  msg::client_session_actor::pointer self_;
  client_session_options options_;
  std::unique_ptr<mcp::server_protocol> protocol_;
  std::map<msg::call_key, open_sample> samples_; ///< questions to the client's model
  std::map<number, told_run> told_;              ///< that are not answered yet
  std::set<number> checking_;                    ///< runs whose servers are looked up
};

msg::client_session_actor::behavior_type client_session(msg::client_session_actor::stateful_pointer<client_session_state> self,
                                                        client_session_options options);

} // namespace actors
