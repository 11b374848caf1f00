// Calls whose server wants to know something before it answers them: nothing of them is in flight meanwhile.
#pragma once

#include "mcp/input_round.hpp"
#include "mcp/server_questions.hpp"
#include "messages/document.hpp"
#include "messages/errors.hpp"
#include "messages/tool_call.hpp"

#include <boost/json/object.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mcp {

/// Before a call is made once more whose server has asked for nothing but time.
inline constexpr std::chrono::milliseconds input_round_pause{250};

/// So long a call waits for the server's word that the person has been where it wants them. Most say nothing.
inline constexpr std::chrono::seconds visit_wait_max{20};

class input_rounds {
public:
  struct waiting_call {
    msg::tool_call call;
    uint32_t rounds = 0; ///< that it has had
  };
  struct routes {
    /// The call is to be made once more, with those parameters besides.
    std::function<void(waiting_call, const boost::json::object&)> again;
    std::function<void(msg::call_key, msg::fault)> failed;
    std::function<void(std::chrono::milliseconds)> pause; ///< go_on() is to be called then
  };

  /// The questions outlive it.
  input_rounds(std::string server, server_questions& questions, routes routes)
    : server_(std::move(server)),
      questions_(questions),
      routes_(std::move(routes)) {}

  /// With that result the server has asked.
  void begin(waiting_call call, const boost::json::object& result);
  /// The server has refused it until a person has been at those addresses: who agrees goes there, and the call is made
  /// once more when the server says that this is over, or visit_wait_max later. `refusal`: what is told otherwise.
  void begin_visits(waiting_call call, input_round visits, std::string refusal);
  /// notifications/elicitation/complete: that visit is over.
  void visited(std::string_view elicitation);
  /// Those go on whose server has asked for nothing but time, and those that have waited for visits long enough.
  void go_on(std::chrono::steady_clock::time_point now);
  /// Nobody waits for that call any more. False: it is not here.
  bool drop(msg::call_key key);
  /// All of them end.
  std::vector<msg::call_key> drop_all();
  size_t size() const { return waiting_.size(); }

private:
  struct visit {
    std::string refusal;
    std::set<std::string, std::less<>> open; ///< by which the server tells their ends; empty texts: it can not
    bool is_agreed = false;                  ///< the person goes there
    std::optional<std::chrono::steady_clock::time_point> until;
  };
  struct entry {
    waiting_call call;
    input_round round;
    std::vector<uint64_t> asked; ///< numbers of its questions
    std::optional<visit> visits; ///< it is refused until then
  };

  void ask_all(msg::call_key key, const std::vector<input_question>& questions);
  void answered(msg::call_key key, const input_question& question, const server_questions::answer& said);
  void said_of_visit(msg::call_key key, const input_question& question, const server_questions::answer& said);
  void make_again(std::map<msg::call_key, entry>::iterator which);
  void fail(msg::call_key key, msg::fault why);

  std::string server_;
  server_questions& questions_;
  routes routes_;
  std::map<msg::call_key, entry> waiting_;
};

} // namespace mcp
