// MCP servers of a simulation: one with which nothing is wrong, and others that do anything a process can.
#pragma once

#include "actors/child_server.hpp"
#include "tests/simulation/injected.hpp"
#include "tests/simulation/logins.hpp"
#include "tests/simulation/world.hpp"

#include <boost/json.hpp>

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace simulation {

class servers;

class simulated_server final : public mcp::connection, public std::enable_shared_from_this<simulated_server> {
public:
  /// `heard`: what it says goes there; without any, to its owner.
  simulated_server(servers& all, const msg::server_entry& entry, msg::child_server_actor owner, uint64_t generation,
                   std::optional<mcp::connection_events> heard);

  bool send(msg::spliced_text message, uint64_t key, mcp::request_labels labels) override;
  bool take_back(uint64_t key) override;
  std::chrono::milliseconds unread_for() override { return std::chrono::milliseconds{0}; }
  mcp::masking mask() const override {
    return [](std::string text) { return text; };
  }
  std::string login_wanted() const override;
  void stop() override;
  void kill() override;

  /// The process ends.
  void die(std::string how);
  /// Something goes wrong with it.
  void misbehave();
  bool is_there() const { return static_cast<bool>(owner_); }
  bool runs() const { return is_there() && !is_ending_; }
  bool is_told_to_stop() const { return is_told_to_stop_; }
  /// Calls that it has and has not answered, nor been told that nobody waits for them.
  size_t open_calls() const;
  void kill_actor();
  const std::string& name() const { return name_; }

private:
  struct open_call {
    std::string mark;
    uint64_t number = 0; ///< in its program
    std::string text;    ///< of the answer
    bool is_cancelled = false;
  };

  void heard_end(const std::string& how);
  void tell_end(std::string how);
  void hear(const boost::json::object& message, const mcp::request_subject& about);
  void hear_request(const boost::json::object& message);
  void want_login(const boost::json::object& request);
  void take_call(const boost::json::object& message);
  void check_right(const boost::json::object& params, const std::string& mark);
  void answer_call(const boost::json::value& id, uint64_t key);
  void answer_badly(const boost::json::value& id, const std::string& text);
  void answer(const boost::json::value& id, boost::json::value result);
  void refuse(const boost::json::value& id, int code, std::string why);
  void say(boost::json::value message);
  boost::json::array tools() const;
  bool is_well() const { return name_ == "well"; }
  haste pace() const { return is_well() ? haste::prompt : haste::none; }

  servers& all_;
  world& world_;
  std::string name_;
  std::string args_;
  bool is_remote_;
  uint64_t number_;               ///< of all processes
  msg::child_server_actor owner_; ///< null: it has heard of the end
  uint64_t generation_;
  std::optional<mcp::connection_events> heard_;
  line says_, hears_;
  bool refuses_start_ = false;
  std::map<uint64_t, open_call> calls_; ///< by key
  std::set<uint64_t> known_;            ///< keys of all that it has had
  msg::errc end_is_ = msg::errc::server_died;
  bool is_ending_ = false, is_told_to_stop_ = false, hangs_ = false, refuses_ = false, is_bad_ = false;
};

/// The machine on which they run.
class servers {
public:
  servers(world& w, uint64_t seed, uint32_t calls_max, uint32_t running_max)
    : in(w),
      injected(seed),
      people(w, injected),
      calls_at_once_max(calls_max),
      at_once_max(running_max) {}

  actors::connection_factory factory();
  std::shared_ptr<simulated_server> start(const msg::server_entry& entry, const msg::child_server_actor& owner,
                                          uint64_t generation, std::optional<mcp::connection_events> heard);
  std::shared_ptr<simulated_server> any();
  size_t running() const;
  /// It ends, and whoever looks after it never hears of that.
  bool loses_end(const simulated_server& of);
  /// Two that run and are not told to end are of one server.
  bool has_twins() const;
  /// Those that are not told to end.
  size_t wanted() const;

  world& in;
  injected_faults injected;
  logins people;
  uint32_t calls_at_once_max;
  uint32_t at_once_max;
  std::vector<std::shared_ptr<simulated_server>> all; ///< of whose end nobody has heard yet
  std::map<caf::actor_id, uint64_t> latest;           ///< generations, by the actor that looks after them
  uint64_t started = 0;
  std::map<std::string, uint64_t> calls; ///< that have reached it, by its name
  uint64_t tool_lists = 0;               ///< grows: servers have other tools then

private:
  bool has_lost_end_ = false;
};

/// As the configuration has them; `luck` says which there are, and how they are started.
msg::server_entries some_entries(chance luck);

} // namespace simulation
