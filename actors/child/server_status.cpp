#include "actors/child/server_status.hpp"

#include "proxy/time_out.hpp"

#include <utility>

namespace child {

msg::server_status status_of(std::string server, const lifecycle& life, const restart_policy& restarts,
                             const known_tools& tools, std::string login_wanted, uint32_t unread_ms, size_t open_calls,
                             std::chrono::steady_clock::time_point now) {
  msg::server_status s;
  s.name = std::move(server);
  s.state = life.state();
  s.tool_count = static_cast<uint32_t>(tools.list()->size());
  for (auto& tool : *tools.list())
    s.tools.push_back(tool.name);
  s.calls_in_flight = static_cast<uint32_t>(open_calls);
  s.starts = life.starts();
  s.last_error = restarts.last_error();
  if (life.is(stage::ready))
    s.unread_ms = unread_ms;
  if (s.unread_ms > 0)
    s.last_error = "it" + proxy::unread_words(s.unread_ms)
                   + ": it is busy, or hangs; if so, end its process, and the next call starts it again";
  if (life.is(stage::ready) && !login_wanted.empty()) {
    s.state = msg::server_state::needs_login; // its calls go on: nothing has to be started when there is a login
    s.last_error = std::move(login_wanted);
  }
  s.breaker = restarts.breaker(now);
  s.retry_after_ms = static_cast<uint32_t>(restarts.retry_after(now).count());
  return s;
}

msg::server_start start_of(std::string server, const lifecycle& life, server_link& link, size_t unsent,
                           std::chrono::steady_clock::time_point now) {
  return {std::move(server),
          static_cast<uint32_t>(life.starting_for(now).count()),
          link.lines().last(),
          link.unread_ms(),
          {},
          static_cast<uint32_t>(unsent)};
}

} // namespace child
