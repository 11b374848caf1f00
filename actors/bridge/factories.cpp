#include "actors/bridge/factories.hpp"

#include "actors/bridge/ask.hpp"
#include "config/launch.hpp"
#include "process/offload.hpp"
#include "proxy/unwrap.hpp"
#include "sandbox/container_guest.hpp"

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <caf/all.hpp>

namespace bridge {

namespace {

/// An actor takes a message in microseconds, unless the thread is held; a reader waits no longer than this.
constexpr std::chrono::seconds handover_timeout{30};
/// A guest may use more CPU time than its wall time when it has threads.
constexpr uint32_t cpu_slack_seconds = 5;

template <class Actor, class... Args>
asio::awaitable<void> hand_over(caf::strong_actor_ptr port, Actor to, Args... args) {
  [[maybe_unused]] auto taken = co_await ask<bool>(std::move(port), std::move(to), handover_timeout, std::move(args)...);
}

mcp::connection_events events_for(world& w, msg::child_server_actor owner, uint64_t generation) {
  mcp::connection_events events;
  events.received = [port = w.port, owner, generation](msg::document message) {
    return hand_over(port, owner, msg::received_atom::value, generation, std::move(message));
  };
  events.garbage = [port = w.port, owner, generation](std::string line) {
    return hand_over(port, owner, msg::garbage_atom::value, generation, std::move(line));
  };
  events.closed = [owner, generation](msg::fault why) { caf::anon_send(owner, msg::closed_atom::value, generation, std::move(why)); };
  return events;
}

msg::outcome<std::shared_ptr<sandbox::guest>> start_guest(world& w, msg::language lang, uint32_t timeout_ms, msg::sandbox_actor owner) {
  sandbox::guest_events events;
  events.frame = [port = w.port, owner](msg::document frame) { return hand_over(port, owner, msg::frame_atom::value, std::move(frame)); };
  events.ended = [owner](msg::guest_exit how) { caf::anon_send(owner, msg::exit_atom::value, std::move(how)); };
  auto cpu_seconds = timeout_ms / 1'000 + cpu_slack_seconds;
  if (lang == msg::language::python && w.containers)
    return sandbox::start_container_guest({w.executor, w.worker}, w.containers, cpu_seconds, std::move(events));
  auto& found = w.runtimes.of(lang);
  if (!found.ok() || !w.runtimes.tools.ok())
    return found.ok() ? w.runtimes.tools.error : found.error;
  auto box = found.value;
  box.cpu_seconds = cpu_seconds;
  return sandbox::start_guest({w.executor, w.worker}, box, w.runtimes.tools.value, std::move(events));
}

asio::awaitable<void> unwrap_there(asio::any_io_executor worker, msg::document result, std::function<void(msg::outcome<msg::document>)> done) {
  auto work = [result = std::move(result)] { return proxy::unwrap(result); };
  auto unwrapped = co_await process::offload(worker, std::move(work));
  done(std::move(unwrapped));
}

} // namespace

actors::connection_factory make_connection_factory(world& w) {
  return [&w](const msg::server_entry& entry, msg::child_server_actor owner, uint64_t generation) -> msg::outcome<std::shared_ptr<mcp::connection>> {
    auto launch = config::make_launch(entry, w.environment, w.variables);
    if (!launch.ok())
      return std::move(launch.error);
    return mcp::open_stdio(w.stdio, entry.name, std::move(launch.value), events_for(w, std::move(owner), generation));
  };
}

actors::sandbox_spawner make_sandbox_spawner(world& w) {
  return [&w](caf::local_actor* parent, msg::language lang, uint32_t timeout_ms, msg::guest_listener listener) {
    actors::sandbox_options options{lang, timeout_ms, std::move(listener),
                                    [&w](msg::language l, uint32_t ms, msg::sandbox_actor owner) { return start_guest(w, l, ms, std::move(owner)); }};
    return parent->spawn(actors::sandbox_guest, std::move(options));
  };
}

actors::background_unwrap make_background_unwrap(world& w) {
  return [&w](msg::document result, std::function<void(msg::outcome<msg::document>)> done) {
    asio::co_spawn(w.executor, unwrap_there(w.worker, std::move(result), std::move(done)), asio::detached);
  };
}

} // namespace bridge
