#include "actors/sampling/completion_request.hpp"

#include <utility>

namespace sampling {

void reply_to(completion_request& q, msg::outcome<msg::document> with) {
  if (auto reply = std::exchange(q.reply, nullptr))
    reply(std::move(with));
}

msg::fault with_who_was_tried(const completion_request& q, msg::fault why) {
  if (!q.tried.empty())
    why.message = q.tried + ". Then " + q.route->name + " was asked: " + why.message;
  return why;
}

} // namespace sampling
