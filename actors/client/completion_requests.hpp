// What runs ask of the client's own model: questions to the client, in the middle of its call.
#pragma once

#include "mcp/server_protocol.hpp"
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
  explicit completion_requests(mcp::server_protocol& client) : client_(client) {}
  completion_requests(const completion_requests&) = delete;
  completion_requests& operator=(const completion_requests&) = delete;

  /// In the middle of the call that has become the run. `done` hears of it once, at once if the client has too much to
  /// answer (overloaded, and `times_asked` 0). The key is not used again.
  void ask(msg::call_key key, const msg::model_request& request, answered done);
  /// The client hears that no run waits any more, and who asked hears `cancelled`. Nothing happens if it is answered.
  void give_up(msg::call_key key);

private:
  struct open_question {
    uint64_t number = 0; ///< see mcp::server_protocol
    answered done;
  };

  mcp::server_protocol& client_;
  std::map<msg::call_key, open_question> open_;
};

} // namespace client
