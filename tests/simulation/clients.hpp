// Clients of a simulation: they ask, give up, answer what they are asked in any way there is, and vanish.
#pragma once

#include "actors/client_session.hpp"
#include "tests/simulation/world.hpp"

#include <boost/json.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace simulation {

class client : public std::enable_shared_from_this<client> {
public:
  client(world& w, uint32_t connection) : world_(w), connection_(connection) {}

  uint32_t connection() const { return connection_; }
  bool is_gone() const { return is_gone_; }
  /// It can be asked in the middle of a run.
  bool can_be_asked = false;
  std::string owner;                    ///< whose sessions it has; empty: the client on stdin
  msg::client_connection_actor session; ///< null: not yet, or it is gone

  void introduce_itself();
  void run_something();
  /// That is good for nothing but to see whether the server works, in the language and session of that run. Gives its
  /// mark.
  std::string run_plainly(const known_run& like = {});
  void ask_something();
  void cancel_something();
  /// It does not listen any more: nothing has to be answered, and nothing may be.
  void vanish();
  void leave_stream();
  void hear(const mcp::outgoing& sent);

  /// Requests that are to be answered and are not yet.
  size_t unanswered() const;
  /// How the run of that mark was answered, as text; empty: not, or not once.
  std::string answer_of(const std::string& mark) const;
  /// Each request was answered as often as it should be.
  void check_answers();
  uint64_t runs_reported = 0; ///< as successes

private:
  struct request {
    std::string mark; ///< empty: it is no run
    mcp::stream_number stream = 0;
    size_t answers = 0;
    bool is_given_up = false; ///< need not be answered, and not twice
    bool wants_progress = false;
    std::string answer;
  };

  int64_t say_request(const std::string& method, boost::json::object params, request r);
  void say(boost::json::value message, mcp::stream_number stream);
  void take_answer(const boost::json::object& message, const mcp::outgoing& sent);
  void check_result(const request& r, const boost::json::object& message);
  void take_question(const boost::json::object& message);
  void agree(const boost::json::object& params);
  void agree_beforehand(uint64_t count);
  boost::json::object answer_to(const boost::json::object& question);
  int64_t some_open_request();
  boost::json::object arguments_of_run(request& r);

  world& world_;
  uint32_t connection_;
  std::map<int64_t, request> requests_;
  int64_t last_id_ = 0;
  uint64_t last_stream_ = 0;
  bool is_gone_ = false;
};

} // namespace simulation
