// One run: starts its sandbox, answers its requests, ends it in time, and reports once.
#pragma once

#include "actors/execution_routes.hpp"
#include "actors/reply_promise.hpp"
#include "actors/run/consents.hpp"
#include "actors/run/deadline.hpp"
#include "actors/run/displays.hpp"
#include "actors/run/ending.hpp"
#include "actors/run/guest_order.hpp"
#include "actors/run/guest_requests.hpp"
#include "actors/run/held_bytes.hpp"
#include "actors/run/injected_faults.hpp"
#include "actors/run/logins.hpp"
#include "actors/run/notes.hpp"
#include "actors/run/open_requests.hpp"
#include "actors/run/program_check.hpp"
#include "actors/run/program_questions.hpp"
#include "actors/run/record.hpp"
#include "actors/run/server_logs.hpp"
#include "actors/run/server_questions.hpp"
#include "actors/run/tool_calls.hpp"
#include "messages/actors.hpp"
#include "proxy/guest_frames.hpp"

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace actors {

class execution_state {
public:
  static inline const char* name = "execution";

  explicit execution_state(msg::execution_actor::pointer self);
  execution_state(const execution_state&) = delete;
  execution_state& operator=(const execution_state&) = delete;
  /// However it ends, its run and the calls that are open have their lines in the record: nobody else knows of those.
  ~execution_state();
  msg::execution_actor::behavior_type make_behavior(execution_options options);

private:
  // ---- before the program runs
  void make_parts();
  caf::result<msg::run_report> run(msg::run_request& request, msg::run_listener& listener);
  void ask_for_guest();
  void begin(msg::guest_lease lease);
  void sandbox_gone(const caf::error& reason);
  void guest_ended(const msg::guest_exit& how);

  // ---- time
  void lose_patience();
  void time_is_over();

  // ---- the guest, and models that it asks
  caf::result<bool> take_frame(const msg::document& frame);
  void frame(const msg::document& frame);
  void broke_channel(const std::string& sent);
  void reply(uint64_t id, msg::outcome<msg::document> answer);
  void display(proxy::guest_display& display);
  caf::result<msg::outcome<msg::document>> call_for_model(msg::tool_ref& tool, msg::document& arguments);
  caf::result<msg::outcome<msg::tool_list>> tools_for_model(std::vector<std::string>& patterns);
  caf::result<msg::outcome<msg::document>> take_question(msg::server_question& asked);

  // ---- the end
  void finish(run::ending how);
  void give_session_back(std::string lost_because);
  void end_sampling(msg::guest_output output);
  void report(msg::guest_output output, msg::sampling_report sampling);
  void tell_report(msg::guest_output output, msg::sampling_report sampling);
  void report_failure(run::ending why) noexcept;
  caf::error failed(const std::exception_ptr& thrown);

  msg::execution_actor::pointer self_;
  execution_options options_;
  msg::run_request request_;
  msg::run_listener listener_;
  caf::typed_response_promise<msg::run_report> promise_;
  run::deadline time_;
  std::chrono::steady_clock::duration spent_{}; ///< with guests that were lost
  run::notes notes_;
  run::injected_faults faults_;

  msg::sandbox_actor sandbox_; ///< null: none yet
  msg::session_note session_;
  bool guest_pending_ = false; ///< asked for and not answered yet
  uint32_t guests_lost_ = 0;   ///< that died before they had the program

  run::held_bytes held_;        ///< of open requests and what is displayed; what the sandbox holds comes on top
  run::open_requests requests_; ///< of the guest, and calls that models want
  execution_routes routes_;
  std::unique_ptr<run::program_check> check_; ///< this and the next two are never null after make_behavior()
  std::unique_ptr<run::tool_calls> calls_;
  std::unique_ptr<run::guest_requests> questions_;
  std::unique_ptr<run::server_questions> asked_; ///< likewise, and so are the next two
  std::unique_ptr<run::consents> consents_;
  std::unique_ptr<run::program_questions> person_;
  run::logins logins_;
  run::server_logs logs_;
  run::displays displays_;
  run::guest_order order_; ///< while another thread looks at what it displays
  uint64_t model_calls_ = 0;
  /// Calls that a model wanted.
  std::map<uint64_t, caf::typed_response_promise<msg::outcome<msg::document>>> for_models_;
  /// Until the end; for what is done bit by bit.
  std::shared_ptr<bool> goes_on_ = std::make_shared<bool>(true);

  bool ended_ = false;
  bool done_ = false;     ///< the program came to its end
  bool lives_on_ = false; ///< and its guest did not, as far as it says: a session goes on
  run::ending ending_;
  bool has_result_ = false;
  msg::document result_;
  uint64_t memory_bytes_ = 0; ///< of the guest; 0: not known
};

msg::execution_actor::behavior_type execution(msg::execution_actor::stateful_pointer<execution_state> self,
                                              execution_options options);

} // namespace actors
