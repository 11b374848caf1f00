// The server side of MCP for one client: lifecycle, errors by the book, batches, what is in flight; both eras, told
// apart by each message. Knows no transport, no tool and no actor.
#pragma once

#include "mcp/client_messages.hpp"
#include "mcp/client_questions.hpp"
#include "mcp/envelope.hpp"
#include "mcp/jsonrpc.hpp"
#include "mcp/replies.hpp"
#include "mcp/requests_in_flight.hpp"
#include "mcp/results.hpp"
#include "mcp/revision.hpp"
#include "messages/tool_call.hpp"
#include "messages/trace.hpp"

#include <boost/json/value.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace mcp {

struct tool_request {
  request_number number = 0;
  std::string name;
  msg::document arguments; ///< an object
  bool wants_progress = false;
  msg::trace_context trace; ///< as the client sent it
  bool is_of_a_run = false; ///< a program of another server of ours makes the call
};

/// What the protocol wants of its owner. All are called from within the calls below.
struct server_callbacks {
  std::function<void(outgoing)> send;
  std::function<msg::document(revision)> list_tools;  ///< result of tools/list
  std::function<void(tool_request)> call_tool;        ///< answered later by respond() or respond_error()
  std::function<void(request_number)> list_resources; ///< answered later; empty: there are no resources
  std::function<void(request_number, std::string uri)> read_resource;
  std::function<msg::document()> list_resource_templates;
  std::function<void(request_number)> cancelled; ///< the client cancelled that call; no answer is wanted
  std::function<size_t()> room;                  ///< bytes that may wait to be read besides; empty: any number
  std::function<bool()> is_read;                 ///< false: no progress is told; empty: it is
  /// The time, and a word that questions().end_parked() is to be called then. Without them, clients of 2026-07-28 are
  /// asked nothing.
  std::function<std::chrono::steady_clock::time_point()> now;
  std::function<void(std::chrono::milliseconds)> look_again;
  std::chrono::milliseconds parked_wait = parked_request_max; ///< for answers of those clients
};

struct server_identity {
  std::string name;
  std::string version;
  std::function<std::string()> instructions; ///< for the client's model; empty, or an empty text: none
  /// Some clients add tools of their own then; they can be listed and read in any case.
  bool declares_resources = false;
  /// The last number that a request has got, of all clients of the process; null: this one has numbers of its own.
  std::shared_ptr<request_number> numbers = {};
};

class server_protocol {
public:
  server_protocol(server_identity identity, server_callbacks callbacks);

  /// What comes of it goes to that stream.
  void receive(const msg::document& message, stream_number stream = 0) { messages_.receive(message, stream); }
  /// A line that is no message at all. What can be told of it: its `id` and `method`. A request hears it under its id,
  /// unless another one in flight has that; what we have asked under that id fails; else nobody is named.
  void reject(int32_t code, std::string_view why, const msg::document& told = {}) { messages_.reject(code, why, told); }
  /// Does nothing if the request was cancelled. The result of a call is complete() already. Of a call that is parked,
  /// it is kept until the client comes back.
  void respond(request_number number, const msg::document& result, const cache_hint& hint = uncached);
  void respond_error(request_number number, const rpc_refusal& why);
  /// There is no memory for it: its client hears that, and whoever works for it is told that it is cancelled.
  void give_up(request_number number);
  /// Sent only if the request asked for it and is still open.
  void progress(request_number number, double progress, const std::string& message);
  /// What a server has logged in the middle of that call: to a client with a handshake from the level on that it has
  /// asked for, else from warnings on; to one of 2026-07-28 if the request asks for it and the line is surely its own.
  void tell_log(request_number number, const msg::server_log& line);
  /// Nobody reads that stream any more: its requests are cancelled.
  void cancel_stream(stream_number stream) { messages_.cancel_stream(stream); }
  /// No more of them are told anything.
  void end_subscriptions();

  /// Asks the client in the middle of that call: by a request of ours, or, where the revision has none, by an answer to
  /// the call, which goes on when the client calls again. `done` hears of it once; never, if it is withdrawn. What the
  /// client can be asked says asker(). The number of the question; 0: too much is asked or waits to be read, or the
  /// call is over, and `done` is dropped.
  uint64_t ask(request_number during, std::string_view method, const msg::document& params,
               client_requests::answered done) {
    return questions_.ask(during, method, params, std::move(done));
  }
  /// Nobody waits for the answer any more. Nothing happens if it is there already.
  void withdraw(uint64_t question, std::string_view reason) { questions_.withdraw(question, reason); }
  size_t question_count() const { return questions_.count(); }
  /// What has been asked, to tell more of it, and to end calls whose clients have not come back with answers in time.
  client_questions& questions() { return questions_; }

  /// Who has made a request in flight, or was the last to make one that is parked; of others: who has shaken hands.
  const requester& asker(request_number number);
  boost::json::object server_info() const;
  size_t in_flight() const { return open_.count(); }

private:
  using incoming = incoming_request;

  void take_request(const incoming& request);
  void handle_request(const incoming& request);
  void handle_enveloped(const incoming& request);
  void initialize(const incoming& request);
  void listen(const incoming& request);
  void serve(const incoming& request);
  void call_tool(const incoming& request);
  void serve_resources(const incoming& request);
  void set_log_level(const incoming& request);

  server_identity identity_;
  server_callbacks callbacks_;
  replies replies_;
  requests_in_flight open_;
  client_questions questions_;
  client_messages messages_;
};

} // namespace mcp
