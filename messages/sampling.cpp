#include "messages/sampling.hpp"

namespace msg {

const char* to_string(chat_role role) {
  switch (role) {
    case chat_role::user: return "user";
    case chat_role::assistant: return "assistant";
    case chat_role::system: return "system";
  }
  return "unknown";
}

const char* to_string(stop_reason reason) {
  switch (reason) {
    case stop_reason::end: return "end";
    case stop_reason::max_tokens: return "max_tokens";
    case stop_reason::tool_use: return "tool_use";
    case stop_reason::refused: return "refused";
    case stop_reason::other: return "other";
  }
  return "unknown";
}

} // namespace msg
