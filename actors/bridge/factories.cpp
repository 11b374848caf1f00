#include "actors/bridge/factories.hpp"

#include "actors/bridge/ask.hpp"
#include "config/launch.hpp"
#include "memory/store.hpp"
#include "messages/limits.hpp"
#include "process/offload.hpp"
#include "proxy/unwrap.hpp"
#include "sandbox/permit.hpp"

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <caf/all.hpp>
#include <spdlog/spdlog.h>

namespace bridge {

namespace {

/// An actor takes a message in microseconds, unless the thread is held; a reader waits no longer than this.
constexpr std::chrono::seconds handover_timeout{30};

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

msg::outcome<std::shared_ptr<sandbox::guest>> start_guest(world& w, const msg::guest_wish& wish, msg::sandbox_actor owner) {
  auto& found = w.runtimes.of(wish.lang);
  if (!found.ok() || !w.runtimes.tools.ok())
    return found.ok() ? w.runtimes.tools.error : found.error;
  auto box = found.value;
  if (!wish.granted.empty()) {
    auto permitted = sandbox::permit(std::move(box), wish.lang, wish.granted, w.paths);
    if (!permitted.ok())
      return std::move(permitted.error);
    box = std::move(permitted.value);
  }
  walls_of(w);
  box.cpu_seconds = wish.session.empty() ? msg::limits::guest_cpu_seconds_max : msg::limits::session_cpu_seconds_max;
  sandbox::guest_events events;
  events.frame = [port = w.port, owner](msg::document frame) { return hand_over(port, owner, msg::frame_atom::value, std::move(frame)); };
  events.ended = [owner](msg::guest_exit how) { caf::anon_send(owner, msg::exit_atom::value, std::move(how)); };
  return sandbox::start_guest({w.executor, w.worker, w.seats, w.memory}, box, w.runtimes.tools.value, std::move(events));
}

asio::awaitable<void> unwrap_there(asio::any_io_executor worker, msg::document result, std::function<void(msg::outcome<msg::document>)> done) {
  auto work = [result = std::move(result)] { return proxy::unwrap(result); };
  auto unwrapped = co_await process::offload(worker, std::move(work));
  done(std::move(unwrapped));
}

asio::awaitable<void> remember_there(asio::any_io_executor worker, std::shared_ptr<memory::store> store, msg::memory_request request,
                                     std::function<void(msg::outcome<msg::document>)> done) {
  auto work = [store = std::move(store), request = std::move(request)] {
    auto answer = store->run(request);
    if (auto warning = store->take_warning(); !warning.empty())
      spdlog::warn("{}", warning);
    return answer;
  };
  auto answer = co_await process::offload(worker, std::move(work));
  done(std::move(answer));
}

void report(const sandbox::isolation& walls) {
  using sandbox::isolation_mode;
  if (walls.mode == isolation_mode::none)
    spdlog::error("no program can run: {}", walls.reason);
  else if (walls.mode == isolation_mode::bare)
    spdlog::warn("TypeScript runs without namespaces, between Deno's permissions, seccomp and Landlock: {}", walls.reason);
  else if (!walls.filter || walls.landlock_abi == 0)
    spdlog::warn("this kernel has no {}; sandboxes do without", walls.filter ? "Landlock" : "seccomp");
}

} // namespace

const sandbox::isolation& walls_of(world& w) {
  auto& walls = w.runtimes.tools.value.walls;
  if (walls.mode == sandbox::isolation_mode::untried && w.runtimes.tools.ok()) {
    walls = sandbox::probe_isolation(w.executor, w.runtimes.tools.value, w.isolation);
    report(walls);
  }
  return walls;
}

actors::connection_factory make_connection_factory(world& w) {
  return [&w](const msg::server_entry& entry, msg::child_server_actor owner, uint64_t generation) -> msg::outcome<std::shared_ptr<mcp::connection>> {
    auto launch = config::make_launch(entry, w.environment, w.variables);
    if (!launch.ok())
      return std::move(launch.error);
    return mcp::open_stdio(w.stdio, entry.name, std::move(launch.value), events_for(w, std::move(owner), generation));
  };
}

actors::guest_factory make_guest_factory(world& w) {
  return [&w](const msg::guest_wish& wish, msg::sandbox_actor owner) { return start_guest(w, wish, std::move(owner)); };
}

actors::background_unwrap make_background_unwrap(world& w) {
  return [&w](msg::document result, std::function<void(msg::outcome<msg::document>)> done) {
    asio::co_spawn(w.executor, unwrap_there(w.worker, std::move(result), std::move(done)), asio::detached);
  };
}

actors::background_memory make_background_memory(world& w, const std::string& state_folder) {
  auto store = std::make_shared<memory::store>(state_folder);
  return [&w, store](msg::memory_request request, std::function<void(msg::outcome<msg::document>)> done) {
    asio::co_spawn(w.executor, remember_there(w.worker, store, std::move(request), std::move(done)), asio::detached);
  };
}

} // namespace bridge
