// What the client side of a connection wants of its owner.
#pragma once

#include "mcp/item_listing.hpp"
#include "mcp/request_labels.hpp"
#include "mcp/secret_mask.hpp"
#include "messages/document.hpp"
#include "messages/errors.hpp"
#include "messages/server_questions.hpp"
#include "messages/tool_call.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace mcp {

/// All are called from within calls of client_protocol.
struct client_callbacks {
  /// false: the queue is full. `id`: of a request; 0: it is none.
  std::function<bool(msg::spliced_text, int64_t id, request_labels)> send;
  /// That request is not sent; false: it is gone already. May not be set.
  std::function<bool(int64_t id)> take_back;
  std::function<void(msg::outcome<msg::listed_tools>)> listed; ///< handshake or a later listing ended
  /// The raw result.
  std::function<void(msg::call_key, msg::outcome<msg::document>)> answered;
  /// The answer to a listing that did not fail.
  std::function<void(msg::call_key, item_pages)> items_listed;
  /// A call that was cancelled has been answered: the server is done with it; may not be set.
  std::function<void(msg::call_key)> ended;
  std::function<void(msg::tool_progress)> progressed;
  std::function<void()> tools_changed; ///< tools/list_changed
  /// It does not say any more when its tools change, until listen_again(); may not be set.
  std::function<void()> listening_ended;
  std::function<void(std::string_view level, std::string text)> logged; ///< notifications/message
  /// The same in the middle of a call, if its client wants to hear of it; may not be set.
  std::function<void(msg::server_log)> logged_in_call;
  /// Of a listing that has failed; may not be set.
  std::function<void(msg::tool_list)> dropped;
  std::function<void(item_pages)> items_dropped;
  /// It asks something in the middle of a call; answered by client_protocol::answer(). Not set: nothing is answered.
  std::function<void(msg::server_question)> asked;
  /// Nobody waits for the answer to that question of that call any more.
  std::function<void(msg::call_key, uint64_t question)> withdrawn;
  /// client_calls::go_on() is to be called then; may not be set
  std::function<void(std::chrono::milliseconds)> paused;
  masking masked; ///< of all that the server says in errors, progress and its log, before that is cut; may not be set
};

} // namespace mcp
