// The server side of one MCP connection: lifecycle, errors by the book, batches, what is in flight. Knows no transport,
// no tool and no actor.
#pragma once

#include "mcp/client_requests.hpp"
#include "mcp/jsonrpc.hpp"
#include "mcp/revision.hpp"
#include "messages/trace.hpp"

#include <boost/json/value.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace mcp {

/// Our own number of a request of the client; never used twice.
using request_number = uint64_t;

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
  std::function<void(msg::spliced_text)> send;
  std::function<msg::document(revision)> list_tools;  ///< result of tools/list
  std::function<void(tool_request)> call_tool;        ///< answered later by respond() or respond_error()
  std::function<void(request_number)> list_resources; ///< answered later; empty: there are no resources
  std::function<void(request_number, std::string uri)> read_resource;
  std::function<msg::document()> list_resource_templates;
  std::function<void(request_number)> cancelled; ///< the client cancelled that call; no answer is wanted
  std::function<size_t()> room;                  ///< bytes that may wait to be read besides; empty: any number
  std::function<bool()> is_read;                 ///< false: no progress is told; empty: it is
};

struct server_identity {
  std::string name;
  std::string version;
  std::function<std::string()> instructions; ///< for the client's model; empty, or an empty text: none
  /// Some clients add tools of their own then; they can be listed and read in any case.
  bool declares_resources = false;
  request_number numbers_after = 0; ///< its requests have numbers from the next one on
};

class server_protocol {
public:
  server_protocol(server_identity identity, server_callbacks callbacks);

  void receive(const msg::document& message);
  /// A line that is no message at all. What can be told of it: its `id` and `method`. A request hears it under its id,
  /// unless another one in flight has that; what we have asked under that id fails; else nobody is named.
  void reject(int32_t code, std::string_view why, const msg::document& told = {});
  /// Does nothing if the request was cancelled.
  void respond(request_number number, msg::document result);
  void respond_error(request_number number, int32_t code, std::string_view message);
  /// Sent only if the request asked for it and is still open.
  void progress(request_number number, double progress, const std::string& message);

  revision negotiated() const { return revision_; }
  /// What it calls itself in `clientInfo`, cut; empty: nothing.
  const std::string& client_name() const { return client_name_; }
  size_t requests_in_flight() const { return open_.size(); }
  const client_abilities& client() const { return client_; }
  /// What is asked of the client.
  client_requests& to_client() { return to_client_; }

private:
  /// The answers of one batch are sent together.
  struct batch {
    std::vector<std::string> answers;
    size_t outstanding = 0;
    size_t bytes = 0; ///< of the answers
  };
  using batch_ptr = std::shared_ptr<batch>;
  struct open_request {
    boost::json::value id;
    boost::json::value progress_token; ///< null: none
    batch_ptr in;
  };

  void receive_batch(const msg::document& message);
  void receive_one(const msg::document& message, const batch_ptr& in);
  void handle_request(const msg::document& message, const message_view& request, const batch_ptr& in);
  void handle_notification(const message_view& notification);
  void initialize(const message_view& request, const batch_ptr& in);
  void list_tools(const message_view& request, const batch_ptr& in);
  void call_tool(const msg::document& message, const message_view& request, const batch_ptr& in);
  void handle_resources(const message_view& request, const batch_ptr& in);
  void read_resource(const message_view& request, const batch_ptr& in);
  /// The number of a request that is answered later; 0: it has been refused.
  request_number open(const message_view& request, const batch_ptr& in);
  /// Whether it asks for a page that we have not given; then it has been refused.
  bool wants_other_page(const message_view& request, const batch_ptr& in);
  void answer(const batch_ptr& in, msg::spliced_text text);
  size_t room() const;
  std::string problem_of_size(const msg::document& result, const batch_ptr& in) const;

  server_identity identity_;
  server_callbacks callbacks_;
  revision revision_ = latest_revision;
  bool initialized_ = false;
  std::string client_name_;
  client_abilities client_;
  client_requests to_client_;
  request_number last_number_ = 0;
  size_t batched_bytes_ = 0; ///< of answers that wait for the rest of their batch
  std::map<request_number, open_request> open_;
  std::map<std::string, request_number> numbers_; ///< by the client's id, as JSON text
};

} // namespace mcp
