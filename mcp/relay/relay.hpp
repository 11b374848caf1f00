// One server, as it is, for one client, whatever era each of them speaks: what the client asks goes to the server, what
// the server says goes to the client, and both see names, schemas, addresses and order as the other has them. Knows no
// transport to the client, no process and no actor.
#pragma once

#include "mcp/client_messages.hpp"
#include "mcp/client_questions.hpp"
#include "mcp/connection.hpp"
#include "mcp/outgoing.hpp"
#include "mcp/relay/change_routes.hpp"
#include "mcp/relay/input_asks.hpp"
#include "mcp/relay/log_levels.hpp"
#include "mcp/relay/mirrored_arguments.hpp"
#include "mcp/relay/server_asks.hpp"
#include "mcp/relay/server_end.hpp"
#include "mcp/relay/server_words.hpp"
#include "mcp/relay/translation.hpp"
#include "mcp/replies.hpp"
#include "mcp/requests_in_flight.hpp"
#include "messages/document.hpp"
#include "messages/errors.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace mcp::relay {

/// What a relay waits for; of each there is one at a time.
enum class timer : uint8_t { parked, parking, rounds, discovery, handshake, listening };

/// How many clients there are behind one session of ours.
enum class clientele : uint8_t {
  one,    ///< one, which may be told apart from all others
  several ///< of 2026-07-28 over HTTP: anybody may be behind each request
};

struct relay_callbacks {
  std::function<void(outgoing)> send;
  std::function<size_t()> room;  ///< bytes that may wait to be read besides; empty: any number
  std::function<bool()> is_read; ///< false: what the client can do without is not sent; empty: all is
  std::function<std::chrono::steady_clock::time_point()> now;
  /// expired() is to be called then.
  std::function<void(timer, std::chrono::microseconds)> set_timer;
  /// The server is needed: connected() is called now or later, or disconnected().
  std::function<void()> connect;
  /// The server can not be used any more, and the client can not be told so in its era: its connection is to end.
  std::function<void(std::string why)> over;
  /// Of clients over HTTP: headers of the request on that stream; null: it has none. Empty: they come otherwise.
  std::function<const http::headers*(stream_number)> said_headers = {};
  /// Of several clients: those who come from now on are to have another session. May be empty.
  std::function<void()> retire = {};
  /// For answers of clients of 2026-07-28 to what a server asks in the middle of a call.
  std::chrono::milliseconds parked_wait = parked_request_max;
};

class relay {
public:
  relay(std::string server, clientele clients, relay_callbacks callbacks);
  relay(const relay&) = delete;
  relay& operator=(const relay&) = delete;

  // ---- of the client
  void receive(const msg::document& message, stream_number stream) { messages_.receive(message, stream); }
  void reject(int32_t code, std::string_view why, const msg::document& told) { messages_.reject(code, why, told); }
  void cancel_stream(stream_number stream) { messages_.cancel_stream(stream); }
  /// Answers subscriptions; no more comes of the rest.
  void end_subscriptions();

  // ---- of the server
  void connected(std::shared_ptr<connection> by);
  /// There is none, or it has ended.
  void disconnected(const msg::fault& why);
  /// What breaks the protocol is returned as text for the log.
  std::string server_says(const msg::document& message, server_request during) {
    return server_.receive(message, during);
  }
  /// A line that should have been a message, and is broken. True: a request that it would have answered has failed.
  bool server_broke(std::string_view line, const std::string& quote) { return server_.fail_broken(line, quote); }
  /// In order.
  void stop_server() { server_.stop(); }

  void expired(timer which);

private:
  struct relayed_request {
    msg::document message;
    std::string method;
    std::shared_ptr<const requester> from;
    server_request at_server = 0;   ///< 0: it is not sent, or the client is asked
    bool is_waiting = true;         ///< for the server to serve
    uint32_t rounds = 0;            ///< in which the server has asked
    boost::json::object more = {};  ///< with which it is sent after that
    bool is_repeated = false;       ///< the server did not take its headers
    boost::json::value visits = {}; ///< the error in which it wants a person to be somewhere first; null: it does not
  };

  /// Of requests that are not answered, as memory.
  static constexpr size_t held_bytes_max = size_t{256} << 20;

  // ---- from the client
  void take_request(const incoming_request& request);
  void take_enveloped(const incoming_request& request);
  void take_notification(const message_view& notification, const msg::document& message);
  void begin_handshake(const incoming_request& request);
  void pass(const incoming_request& request);
  void come_back(const incoming_request& request);
  void given_up(request_number number);
  void leave(server_request at_server, std::string_view reason);

  // ---- when the server serves
  void want_server(opening first);
  void server_opened(const msg::fault& why);
  void carry_out(request_number number);
  bool carry_out_here(request_number number, const relayed_request& what);
  void take_setting(request_number number, const relayed_request& what);
  void answer_handshake(request_number number, const relayed_request& what);
  void end_handshake();
  void answer_discovery(request_number number);
  void send(request_number number);
  /// True: the server has to be asked something before it, and it is sent after that.
  bool waits_for_server(request_number number);
  rpc_refusal problem_of_headers(request_number number) const;
  /// False: it has no log.
  bool ask_for_log(std::string_view level, std::function<void()> then);

  // ---- from the server
  void answered(request_number number, const message_view& response, const msg::document& message);
  void answer_result(request_number number, const msg::document& message, const boost::json::value& result);
  void answer_error(request_number number, const boost::json::value& error);
  /// True: the client is asked to go where the error says, and the request is sent once more after that.
  bool ask_for_visits(request_number number, const boost::json::value& error);
  void refuse(request_number number, const rpc_refusal& why);
  void finish(request_number number, msg::spliced_text text, uint16_t status = 200);
  void client_lacks(request_number number, const boost::json::object& wanted);
  request_number in_the_middle_of(server_request during) const;
  request_number number_of(server_request at_server) const;
  std::string_view log_level_of(request_number number) const;
  void subscription_ended(request_number number, const msg::document& response);
  boost::json::value server_info() const;
  std::string text_of(const msg::fault& why) const;

  std::string server_name_;
  clientele clients_;
  relay_callbacks callbacks_;
  replies out_;
  requests_in_flight open_;
  client_questions questions_;
  client_messages messages_;
  introduction client_; ///< that has shaken hands, or was the first to ask
  std::map<request_number, relayed_request> relayed_;
  std::map<server_request, request_number> numbers_; ///< of what the server works on
  server_end server_;
  server_asks asks_;
  change_routes changes_;
  log_levels levels_;
  mirrored_arguments mirrored_;
  server_words words_;
  input_asks inputs_;
  opening first_ = opening::initialize; ///< of the connection that is being opened
  bool is_connecting_ = false;
  bool is_finishing_ = false;    ///< a request is being answered
  bool has_left_some_ = false;   ///< the server may still work on what somebody of several has given up
  bool has_initialized_ = false; ///< the server knows that the handshake is over
  bool was_legacy_ = false;      ///< the server began with `initialize` when it was connected last
};

} // namespace mcp::relay
