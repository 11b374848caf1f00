// What a server of 2026-07-28 wants to know before it answers, asked of a client with a handshake: by requests to it.
#pragma once

#include "mcp/client_questions.hpp"
#include "mcp/input_rounds.hpp"
#include "mcp/requests_in_flight.hpp"
#include "mcp/server_questions.hpp"
#include "messages/errors.hpp"

#include <boost/json/object.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mcp::relay {

class input_asks {
public:
  struct parts {
    client_questions& questions;
    /// The request is to be sent once more, with those parameters besides; it has been so often asked in it.
    std::function<void(request_number, uint32_t rounds, const boost::json::object& more)> again;
    std::function<void(request_number, std::string why)> failed;
    std::function<void(std::chrono::milliseconds)> pause; ///< then go_on() is to be called
    std::function<bool(request_number)> is_of_handshake;  ///< of the client of that request
  };

  input_asks(const std::string& server, parts with);
  input_asks(const input_asks&) = delete;
  input_asks& operator=(const input_asks&) = delete;

  /// `rounds`: that it has had.
  void begin(request_number number, uint32_t rounds, const boost::json::object& result);
  /// A server of the earlier era refuses the request until a person has been at these addresses (-32042).
  void begin_visits(request_number number, uint32_t rounds, input_round visits);
  /// notifications/elicitation/complete.
  void visited(std::string_view elicitation) { rounds_.visited(elicitation); }
  void go_on(std::chrono::steady_clock::time_point now) { rounds_.go_on(now); }
  /// Nobody waits for that request any more.
  void drop(request_number number) { rounds_.drop({number, 0}); }
  /// The server is gone.
  std::vector<request_number> drop_all();

private:
  void ask(const msg::server_question& asked);
  void withdraw(uint64_t number);

  parts with_;
  std::map<uint64_t, uint64_t> at_client_; ///< numbers of client_questions, by those of asked_
  server_questions asked_;
  input_rounds rounds_;
};

} // namespace mcp::relay
