// What runs ask of the client's own model: requests of ours to the client.
#pragma once

#include "mcp/client_requests.hpp"
#include "messages/errors.hpp"
#include "messages/sampling.hpp"
#include "messages/tool_call.hpp"

#include <cstdint>
#include <functional>
#include <map>

namespace client {

class completion_requests {
public:
  using answered = std::function<void(msg::outcome<msg::model_answer>)>;

  /// Of the client's connection, which outlives this.
  explicit completion_requests(mcp::client_requests& to_client) : to_client_(to_client) {}
  completion_requests(const completion_requests&) = delete;
  completion_requests& operator=(const completion_requests&) = delete;

  /// `done` hears of it once, at once if the client has too much to answer (overloaded, and `times_asked` 0). The key
  /// is not used again.
  void ask(msg::call_key key, const msg::model_request& request, mcp::stream_number stream, answered done);
  /// The client hears that no run waits any more, and who asked hears `cancelled`. Nothing happens if it is answered.
  void give_up(msg::call_key key);

private:
  struct open_question {
    uint64_t request = 0; ///< its number at the client
    answered done;
  };

  mcp::client_requests& to_client_;
  std::map<msg::call_key, open_question> open_;
};

} // namespace client
