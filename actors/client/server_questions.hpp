// What servers ask in the middle of calls of a client's runs, on its way to the client: each answered once.
#pragma once

#include "mcp/client_requests.hpp"
#include "mcp/envelope.hpp"
#include "messages/document.hpp"
#include "messages/errors.hpp"
#include "messages/server_questions.hpp"
#include "messages/tool_call.hpp"

#include <boost/json/object.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace client {

struct question_routes {
  std::function<const mcp::requester&(uint64_t run)> client_of;
  /// As mcp::server_protocol has them.
  std::function<uint64_t(uint64_t run, std::string_view method, const msg::document& params,
                         mcp::client_requests::answered done)>
    ask;
  std::function<void(uint64_t number, std::string_view reason)> withdraw;
  /// A notification on what has been asked.
  std::function<void(uint64_t run, std::string_view method, const boost::json::object& params)> tell;
  /// The run gives its place to others; false: too many have.
  std::function<void(uint64_t run, std::function<void(bool)> then)> rest;
  std::function<void(uint64_t run)> go_on;
};

class server_questions {
public:
  using answered = std::function<void(msg::outcome<msg::document>)>;

  explicit server_questions(question_routes routes) : routes_(std::move(routes)) {}
  server_questions(const server_questions&) = delete;
  server_questions& operator=(const server_questions&) = delete;

  /// The key is that of the run, with a number that is not asked again. `done` hears of it once.
  void take(msg::call_key key, msg::server_question asked, answered done);
  /// Nobody waits for the answer any more; who asked hears `cancelled`. Nothing happens if it is answered.
  void give_up(msg::call_key key);
  /// The login that was asked for is over, and whether there is one. Its person may have agreed long ago, or not have
  /// answered at all.
  void login_over(msg::call_key key, bool is_there);

private:
  struct open_question {
    uint64_t number = 0; ///< at the client; 0: it has not been asked yet, or has answered
    answered done;
    std::string login = {};    ///< `elicitationId` of a login that the client has been asked for; empty: none
    msg::document agreed = {}; ///< what it has said to that; null: nothing
  };

  void ask(msg::call_key key, const msg::server_question& asked);
  void said(msg::call_key key, msg::question_kind kind, msg::outcome<msg::document> answer);
  void tell_end(msg::call_key key);
  void end(msg::call_key key, msg::outcome<msg::document> said);

  question_routes routes_;
  std::map<msg::call_key, open_question> open_;
};

} // namespace client
