#include "messages/server_questions.hpp"

namespace msg {

std::string_view to_string(question_kind kind) {
  switch (kind) {
    case question_kind::form:
    case question_kind::url:
    case question_kind::login: break;
    case question_kind::sampling: return "sampling/createMessage";
    case question_kind::roots: return "roots/list";
  }
  return "elicitation/create";
}

} // namespace msg
