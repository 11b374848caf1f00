// Calls of runs on their way to their servers: which tool is meant, whether it may be called now and so often, and
// whether its server may run. A call is sent to a server as it was checked, or is answered here.
#pragma once

#include "actors/resilience/turns.hpp"
#include "actors/servers/server_slots.hpp"
#include "actors/servers/tool_resolution.hpp"
#include "messages/errors.hpp"
#include "messages/policy.hpp"
#include "messages/tool_call.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

namespace servers {

/// How often tools may be called. Those of a server whose entry has a limit of its own follow that.
struct call_rates {
  msg::rate_limit per_server{}; ///< zero: unlimited
  msg::rate_limit per_tool{};
};

/// A call that may be sent now.
struct checked_call {
  server* to = nullptr;
  msg::tool_call call;
  std::string changed; ///< as tool_info has it
  bool wants_meaning = false;
};

/// What has made a call. One of the first two is called, once.
class caller {
public:
  virtual ~caller() = default;
  virtual void answer(msg::fault why) = 0;
  /// The server answers instead.
  virtual void pass_on(checked_call call) = 0;
};

struct dispatch_routes {
  /// `then` gets errc::none if there is a token of each of these, which are taken then.
  std::function<void(msg::rate_claims, std::function<void(msg::fault)> then)> take_tokens;
  std::function<time_point()> now;
};

class call_dispatch {
public:
  /// Calls of one run whose tools are being asked for at a time: of names that there are not, each question costs the
  /// catalog a look at all that there are.
  static constexpr size_t questions_at_once_max = 16;

  /// The references outlive this.
  call_dispatch(generations& all, const tool_names& names, tool_reviews& reviews, tool_resolution& tools,
                server_slots& slots, call_rates rates, dispatch_routes routes);

  using make_caller = std::function<std::unique_ptr<caller>()>;
  /// What can be done with a call at once. Nothing: something has to be asked for before; `wait` has been called, and
  /// what it made hears of the call.
  std::optional<msg::outcome<checked_call>> begin(msg::tool_request request, const make_caller& wait);
  /// False: it is not here, and its server may have it.
  bool cancel(msg::call_key key);
  /// Calls of that run that no server has are answered. Gives the servers that have had some.
  std::set<std::string> end_run(uint64_t run);
  /// Servers that have had calls of that run.
  const std::set<std::string>& called_by(uint64_t run) const;
  /// The program ends.
  void end();

private:
  /// A call that waits for something.
  struct held_call {
    msg::tool_request request;
    std::unique_ptr<caller> from;
  };
  using held_map = std::map<msg::call_key, held_call>;

  /// What a call turns out to mean.
  struct meant_tool {
    std::string server, name; ///< of others than tools/call, the method
    std::string changed;
    msg::child_method method;
  };

  void hold(msg::tool_request request, const make_caller& wait);
  void wait_for_tool(msg::call_key key, const msg::tool_ref& ref);
  void ask_for_tool(msg::call_key key, const msg::tool_ref& ref);
  void resolved(msg::call_key key, const msg::tool_ref& ref, msg::outcome<msg::tool_info> tool);
  void ask_for_rate(msg::call_key key, const meant_tool& tool);
  void ask_for_slot(msg::call_key key, const meant_tool& tool, msg::fault why);
  void send(msg::call_key key, const meant_tool& tool, msg::fault why);
  void refuse(msg::call_key key, msg::fault why);
  checked_call make(server& to, msg::tool_request request, meant_tool tool);
  msg::rate_claims claims_of(const server& s, const std::string& tool) const;
  bool may_be_sent(const server& s, const meant_tool& tool) const;
  msg::fault missing_consent(const msg::tool_request& request, const meant_tool& tool) const;

  generations& all_;
  const tool_names& names_;
  tool_reviews& reviews_;
  tool_resolution& tools_;
  server_slots& slots_;
  call_rates rates_;
  dispatch_routes routes_;
  held_map held_;
  std::map<uint64_t, resilience::turns> questions_;  ///< by run
  std::map<uint64_t, std::set<std::string>> called_; ///< by run
};

} // namespace servers
