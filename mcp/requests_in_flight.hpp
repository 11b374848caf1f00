// The requests of a client that are not answered yet: by our number, and by the id that the client gave.
#pragma once

#include "mcp/call_digest.hpp"
#include "mcp/envelope.hpp"
#include "mcp/jsonrpc.hpp"
#include "mcp/outgoing.hpp"

#include <boost/json/value.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mcp {

/// Our own number of a request of the client; never used twice, but by a call that goes on.
using request_number = uint64_t;

/// The answers of one batch are sent together.
struct batch {
  std::vector<std::string> answers;
  size_t outstanding = 0;
  size_t bytes = 0; ///< of the answers
};

/// Where an answer goes.
struct reply_path {
  stream_number stream = 0;
  std::shared_ptr<batch> in; ///< null: alone
};

/// A request on its way to who deals with it.
struct incoming_request {
  const msg::document& message;
  const message_view& view;
  const reply_path& path;
  std::shared_ptr<const requester> from;
};

struct request_in_flight {
  boost::json::value id;
  boost::json::value progress_token; ///< null: none
  reply_path path;
  std::shared_ptr<const requester> from;
  bool is_subscription = false; ///< answered when it ends
  call_digest call = {};
};

class requests_in_flight {
public:
  /// `last`: the number that was given last; null: none was.
  explicit requests_in_flight(std::shared_ptr<request_number> last)
    : last_number_(last ? std::move(last) : std::make_shared<request_number>(0)) {}

  struct opened {
    request_number number = 0; ///< 0: refused
    rpc_refusal refused;
  };
  /// `again`: the number of a call that was parked, and goes on as this one; 0: it gets a new one.
  opened open(const message_view& request, const reply_path& path, std::shared_ptr<const requester> from,
              request_number again = 0);
  /// It is not in flight any more. Nothing: it was not.
  std::optional<request_in_flight> take(request_number number);
  request_in_flight* find(request_number number);
  const request_in_flight* find(request_number number) const;
  /// Of the request that has that id on that stream; 0: there is none.
  request_number number_of(const boost::json::value& id, stream_number stream) const;
  std::vector<request_number> of_stream(stream_number stream) const;
  std::vector<request_number> subscriptions() const;
  size_t count() const { return open_.size(); }

private:
  std::shared_ptr<request_number> last_number_;
  std::map<request_number, request_in_flight> open_;
  std::map<std::string, request_number> numbers_; ///< by what identifies it for its client
};

} // namespace mcp
