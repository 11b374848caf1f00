#include "mcp/client_opening.hpp"

#include "mcp/told_error.hpp"

#include <utility>

namespace mcp {

client_opening::end client_opening::start(opening first) {
  return first == opening::discover ? discover() : initialize();
}

client_opening::end client_opening::stop_waiting() {
  return discover_id_ != 0 && initialize_id_ == 0 && !has_ended_ ? initialize() : end{};
}

client_opening::end client_opening::discover() {
  was_discovery_asked_ = true;
  discover_id_ = ask_("server/discover");
  return discover_id_ != 0 ? end{} : ended(not_read());
}

client_opening::end client_opening::initialize() {
  initialize_id_ = ask_("initialize");
  return initialize_id_ != 0 ? end{} : ended(not_read());
}

client_opening::end client_opening::take(int64_t id, const message_view& response, const masking& masked) {
  bool is_discovery = id == discover_id_;
  has_learned_ |= is_discovery && error_code(response.error) != rpc_error::unanswered;
  (is_discovery ? discover_id_ : initialize_id_) = 0;
  return is_discovery ? discovered(read_discovery(response, masked)) : initialized(read_handshake(response, masked));
}

client_opening::end client_opening::take_unreadable() {
  has_learned_ = true;
  discover_id_ = 0;
  return discovered({opening_answer::kind::legacy});
}

client_opening::end client_opening::discovered(opening_answer answer) {
  using enum opening_answer::kind;
  if (answer.what == modern)
    modern_answer_ = answer;
  if (has_ended_ || (initialize_id_ != 0 && answer.what != again))
    return {}; // what `initialize` comes to counts: the server may have taken it
  if (answer.what == again && !std::exchange(was_asked_again_, true))
    return discover();
  if (answer.what == modern || answer.what == failed)
    return ended(std::move(answer));
  return initialize_problem_.empty() ? initialize() : ended({failed, initialize_problem_});
}

client_opening::end client_opening::initialized(opening_answer answer) {
  if (answer.what == opening_answer::kind::legacy)
    return ended(std::move(answer));
  if (modern_answer_)
    return ended(*modern_answer_);
  if (!answer.is_refusal || (discover_id_ == 0 && was_discovery_asked_))
    return ended(std::move(answer));
  initialize_problem_ = std::move(answer.problem);
  return discover_id_ == 0 ? discover() : end{};
}

client_opening::end client_opening::ended(opening_answer answer) {
  has_ended_ = true;
  return answer;
}

} // namespace mcp
