#include "actors/sampling/question.hpp"

#include <utility>

namespace sampling {

void reply_to(question& q, msg::outcome<msg::document> with) {
  if (auto reply = std::exchange(q.reply, nullptr))
    reply(std::move(with));
}

msg::fault with_who_was_tried(const question& q, msg::fault why) {
  if (!q.tried.empty())
    why.message = q.tried + ". Then " + q.route->name + " was asked: " + why.message;
  return why;
}

} // namespace sampling
