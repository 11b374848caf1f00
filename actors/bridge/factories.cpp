#include "actors/bridge/factories.hpp"

#include "actors/bridge/credit_line.hpp"
#include "actors/bridge/late_guest.hpp"
#include "actors/bridge/server_logins.hpp"
#include "catalog/known_eras.hpp"
#include "config/http_launch.hpp"
#include "config/launch.hpp"
#include "faults/faulty_connection.hpp"
#include "faults/faulty_logins.hpp"
#include "login/account_authorization.hpp"
#include "mcp/http_session.hpp"
#include "messages/limits.hpp"
#include "process/file_watch.hpp"
#include "process/receive_listener.hpp"
#include "process/shortage.hpp"
#include "recording/exchange.hpp"
#include "sandbox/container/container_guest.hpp"
#include "sandbox/egress/egress_proxy.hpp"
#include "sandbox/isolation/box_parts.hpp"
#include "sandbox/launch/permit.hpp"
#include "sandbox/runtimes/deno_cache.hpp"
#include "sandbox/runtimes/pyodide.hpp"
#include "sandbox/runtimes/runtime_cache.hpp"
#include "text/printable.hpp"

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <caf/all.hpp>
#include <spdlog/spdlog.h>

#include <filesystem>
#include <system_error>
#include <type_traits>

namespace bridge {

namespace {

/// guest-init sends its listener before the guest starts.
constexpr std::chrono::seconds listener_wait{10};

template <class Owner>
mcp::connection_events events_for(dependencies& w, Owner owner, uint64_t generation) {
  mcp::connection_events events;
  auto line = std::make_shared<credit_line>(w.executor, w.port);
  events.received = [line, owner, generation](msg::document message, uint64_t during) {
    auto bytes = message.text_bytes();
    return line->hand_over(bytes, owner, msg::received_atom::value, generation, std::move(message), during);
  };
  events.non_protocol_line = [line, owner, generation](std::string text) {
    auto bytes = text.size();
    return line->hand_over(bytes, owner, msg::non_protocol_atom::value, generation, std::move(text));
  };
  if constexpr (std::is_same_v<Owner, msg::relay_session_actor>)
    events.text_is = msg::spelling::kept;
  if constexpr (std::is_same_v<Owner, msg::child_server_actor>) {
    events.ending = [owner, generation] { caf::anon_send(owner, msg::closed_atom::value, generation); };
    events.missed = [received = events.received] { return received(mcp::tools_have_changed(), 0); };
  }
  events.closed = [owner, generation](msg::fault why) {
    caf::anon_send(owner, msg::closed_atom::value, generation, std::move(why));
  };
  return events;
}

msg::audit_event event_of(const egress::connection_record& c) {
  msg::audit_event e;
  e.kind = msg::audit_kind::connection;
  e.host = c.host + ":" + std::to_string(c.port);
  e.state = c.allowed ? "allowed" : "refused";
  e.duration_us = static_cast<uint64_t>(std::chrono::microseconds{c.duration}.count());
  e.success = c.allowed && c.reason.empty();
  e.error = c.reason;
  return e;
}

/// The proxy of a guest begins when the guest's namespace has sent its listener, and ends with the guest.
asio::awaitable<void> serve_egress(asio::any_io_executor executor, asio::any_io_executor worker,
                                   process::descriptor source, egress::egress_rules rules, msg::sandbox_actor owner,
                                   std::shared_ptr<std::unique_ptr<egress::egress_proxy>> place) {
  auto listener = co_await process::receive_listener(executor, std::move(source), AF_INET, listener_wait);
  if (!listener.ok()) {
    spdlog::warn("a guest got no network: {}", listener.error.message);
    co_return;
  }
  egress::egress_settings settings;
  settings.rules = std::move(rules);
  settings.dependencies = egress::internet(executor, std::move(worker));
  settings.log = [owner](const egress::connection_record& c) {
    spdlog::info("guest to {}:{} ({}): {}, {} bytes in, {} out, {} ms", c.host, c.port, c.address,
                 c.allowed ? "allowed" : "refused: " + c.reason, c.bytes_in, c.bytes_out, c.duration.count());
    caf::anon_send(owner, msg::audit_atom::value, event_of(c));
  };
  *place = std::make_unique<egress::egress_proxy>(executor, std::move(listener.value), std::move(settings));
  (*place)->start();
}

void add_egress(dependencies& w, egress::egress_rules rules, msg::sandbox_actor owner, sandbox::guest_events& events) {
  auto proxy = std::make_shared<std::unique_ptr<egress::egress_proxy>>();
  events.listens = [executor = w.executor, worker = w.there.work.line(), rules = std::move(rules),
                    owner = std::move(owner), proxy](process::descriptor source) {
    asio::co_spawn(executor, serve_egress(executor, worker, std::move(source), rules, owner, proxy), asio::detached);
  };
  events.ended = [ended = std::move(events.ended), proxy](msg::guest_exit how) {
    proxy->reset();
    ended(std::move(how));
  };
}

sandbox::guest_events events_for(dependencies& w, msg::sandbox_actor owner) {
  sandbox::guest_events events;
  events.frame = [line = std::make_shared<credit_line>(w.executor, w.port), owner](msg::document frame) {
    auto bytes = frame.text_bytes();
    return line->hand_over(bytes, owner, msg::frame_atom::value, std::move(frame));
  };
  events.ended = [owner](msg::guest_exit how) { caf::anon_send(owner, msg::exit_atom::value, std::move(how)); };
  events.printed = w.printed;
  return events;
}

msg::outcome<std::shared_ptr<sandbox::guest>> start_container(dependencies& w, const msg::guest_request& wish,
                                                              sandbox::guest_events events) {
  if (!wish.granted.empty())
    return msg::fault{
      msg::errc::not_allowed,
      "a program in a container can not be given files or network; use executors.python.runtime: cpython"};
  auto cpu_seconds = wish.session.empty() ? msg::limits::guest_cpu_seconds_max : msg::limits::session_cpu_seconds_max;
  return sandbox::start_container_guest({w.executor, w.there.work.line(), {}, w.memory, w.budget}, w.containers,
                                        cpu_seconds, std::move(events));
}

sandbox::guest_environment environment_for_guest(dependencies& w) {
  return {w.executor, w.there.work.line(), w.prespawned, w.memory, w.budget, w.turns};
}

/// Null: there is none, or it is not ready, or what this guest needs is not what a template gives.
sandbox::guest_template* template_for(dependencies& w, const msg::guest_request& wish) {
  bool may_fit = wish.granted.empty() && !is_template_starting(w, wish.lang);
  auto* found = may_fit ? w.template_of(wish.lang) : nullptr;
  return found && found->is_ready() ? found : nullptr;
}

/// What a run may read and write is looked at on another thread: a repository may hold thousands of links and hooks.
std::shared_ptr<sandbox::guest> start_permitted(dependencies& w, const msg::guest_request& wish, sandbox::box base,
                                                egress::egress_rules rules, msg::sandbox_actor owner) {
  late_guest_work work{w.executor, w.there.work.line(), {}, {}};
  work.work_out = [base = std::move(base), lang = wish.lang, granted = wish.granted, paths = w.paths] {
    return sandbox::permit(base, lang, granted, paths);
  };
  work.start = [&w, rules = std::move(rules), owner](sandbox::box box, sandbox::guest_events events) {
    if (box.egress)
      add_egress(w, rules, owner, events);
    return sandbox::start_guest(environment_for_guest(w), box, w.runtimes.tools.value, std::move(events));
  };
  return make_late_guest(std::move(work), events_for(w, owner));
}

msg::outcome<std::shared_ptr<sandbox::guest>> start_guest(dependencies& w, const msg::guest_request& wish,
                                                          msg::sandbox_actor owner) {
  auto events = events_for(w, owner);
  if (wish.lang == msg::language::python && w.containers)
    return start_container(w, wish, std::move(events));
  use_caches(w); // looks at the isolated first, which may choose another runtime
  auto& found = w.runtimes.of(wish.lang);
  if (!found.ok() || !w.runtimes.tools.ok())
    return found.ok() ? w.runtimes.tools.error : found.error;
  auto box = found.value;
  if (!wish.granted.empty() && wish.lang == msg::language::python && w.runtimes.python_is_pyodide)
    return msg::fault{
      msg::errc::not_allowed,
      "a program in Pyodide can not be given files or network; TypeScript, or Python with namespaces, can"};
  auto rules = egress::check_request(wish.granted.net, w.network);
  if (!rules.ok())
    return std::move(rules.error);
  box.cpu_seconds = wish.session.empty() ? msg::limits::guest_cpu_seconds_max : msg::limits::session_cpu_seconds_max;
  if (!wish.granted.empty())
    return start_permitted(w, wish, std::move(box), std::move(rules.value), std::move(owner));
  if (auto* from = template_for(w, wish))
    return from->fork(environment_for_guest(w), box.cpu_seconds, std::move(events));
  return sandbox::start_guest(environment_for_guest(w), box, w.runtimes.tools.value, std::move(events));
}

/// `to` lives as long as the process. Without the cache guests start all the same, only later.
asio::awaitable<void> make_and_use(dependencies& w, sandbox::box& to, sandbox::cache_recipe recipe, std::string path) {
  ++w.caches_being_made;
  auto problem = co_await sandbox::make_cache(w.executor, recipe, w.runtimes.tools.value, path);
  --w.caches_being_made;
  if (problem.code == msg::errc::none)
    to = sandbox::with_cache(recipe, path);
  else
    spdlog::warn("the cache {} was not made: {}; guests start more slowly", path, problem.message);
}

void use_cache(dependencies& w, sandbox::box& to, sandbox::cache_recipe recipe) {
  auto path = sandbox::cache_path(recipe, w.cache_folder);
  std::error_code ec;
  bool boxed = isolation_of(w).mode == sandbox::isolation_mode::namespaces;
  if (std::filesystem::is_directory(path, ec) && (boxed || sandbox::closed_to_guests(path).empty()))
    to = sandbox::with_cache(recipe, path);
  else
    asio::co_spawn(w.executor, make_and_use(w, to, std::move(recipe), path), asio::detached);
}

void report(const sandbox::isolation& isolated) {
  using sandbox::isolation_mode;
  if (isolated.mode == isolation_mode::untried)
    spdlog::warn("{}", isolated.reason);
  else if (isolated.mode == isolation_mode::none)
    spdlog::error("no program can run: {}", isolated.reason);
  else if (isolated.mode == isolation_mode::landlock_only)
    spdlog::warn("TypeScript runs without namespaces, between Deno's permissions, seccomp and Landlock: {}",
                 isolated.reason);
  else if (!isolated.filter || isolated.landlock_abi == 0)
    spdlog::warn("this kernel has no {}; sandboxes do without", isolated.filter ? "Landlock" : "seccomp");
}

asio::awaitable<void> tell_of_change(std::shared_ptr<process::file_watch> files, std::function<void(bool)> then) {
  auto has_changed = co_await files->changed();
  then(has_changed);
}

using login_refusals = std::function<std::optional<http::client_result>(const mcp::request_subject&)>;

msg::outcome<std::shared_ptr<mcp::connection>> connect_over_http(dependencies& w, const msg::server_entry& entry,
                                                                 login_refusals refuse, mcp::connection_events events) {
  auto launch = config::make_http_launch(entry, w.environment, w.variables);
  if (!launch.ok())
    return std::move(launch.error);
  for (auto& what : launch.value.unset)
    if (w.told_unset.insert(entry.name + ": " + what).second)
      spdlog::warn("server '{}': {} (the entry is in {})", entry.name, what, entry.source);
  bool may_log_in = config::takes_login(launch.value);
  auto secrets = std::move(launch.value.secrets);
  auto at = login_target(entry.name, std::move(launch.value));
  mcp::http_target where{entry.name, at.url, at.fields, entry.transport, std::move(secrets)};
  if (may_log_in)
    where.authorization = login::open_account(login_environment(w), std::move(at));
  where.refuse = std::move(refuse);
  return mcp::open_http(w.web, std::move(where), std::move(events));
}

msg::outcome<std::shared_ptr<mcp::connection>> connect(dependencies& w, const msg::server_entry& entry,
                                                       login_refusals refuse, mcp::connection_events events) {
  if (entry.transport != msg::transport_kind::stdio)
    return connect_over_http(w, entry, std::move(refuse), std::move(events));
  auto launch = config::make_launch(entry, w.environment, w.variables);
  if (!launch.ok())
    return std::move(launch.error);
  return mcp::open_stdio(w.stdio, entry.name, std::move(launch.value), std::move(events));
}

/// A run hears of those that hit its calls; all of them are logged.
template <class Owner>
std::function<void(msg::injected_fault)> teller_of_faults(const Owner& owner, uint64_t generation) {
  return [=](msg::injected_fault fault) {
    spdlog::info("injected: {} into {}, number {}", fault.kind, text::printable(fault.tool), fault.number);
    if constexpr (std::is_same_v<Owner, msg::child_server_actor>)
      caf::anon_send(owner, msg::injected_atom::value, generation, std::move(fault));
  };
}

/// What they did is in the recording, if there is one: else nobody could tell what the caller got.
std::function<void(boost::json::object, mcp::masking)> noter_of_faults(const dependencies& w,
                                                                       const std::string& server) {
  auto to = w.recordings.to;
  if (!to)
    return nullptr;
  return [=](boost::json::object fault, mcp::masking mask) {
    msg::document held{std::move(fault)};
    to->write(held.held_bytes(), [server, held, mask = std::move(mask)] {
      return recording::fault_line(server, held.value().get_object(), mask).text();
    });
  };
}

/// As either kind of actor has it that owns connections.
template <class Owner>
auto connection_maker(dependencies& w) {
  return [&w](const msg::server_entry& entry, Owner owner,
              uint64_t generation) -> msg::outcome<std::shared_ptr<mcp::connection>> {
    auto events = events_for(w, owner, generation);
    auto refuse = w.faults && w.faults->is_on()
                    ? faults::login_faults({entry.name, w.executor, w.faults, teller_of_faults(owner, generation)})
                    : login_refusals{};
    auto real = [&](mcp::connection_events to) { return connect(w, entry, std::move(refuse), std::move(to)); };
    auto open = [&](mcp::connection_events to) {
      return recording::open_connection(w.recordings, entry.name, w.executor, real, std::move(to));
    };
    if (!w.faults)
      return open(std::move(events));
    return faults::open_with_faults({entry.name, w.executor, w.faults, teller_of_faults(owner, generation),
                                     noter_of_faults(w, entry.name), w.there.work.line()},
                                    open, std::move(events));
  };
}

} // namespace

const sandbox::isolation& isolation_of(dependencies& w) {
  auto& isolated = w.runtimes.tools.value.isolated;
  if (isolated.mode == sandbox::isolation_mode::untried && w.runtimes.tools.ok()) {
    bool is_told = !isolated.reason.empty(); // once, while it is not known
    isolated = sandbox::probe_isolation(w.executor, w.runtimes.tools.value, w.isolation);
    if (!is_told || isolated.mode != sandbox::isolation_mode::untried)
      report(isolated);
    if (isolated.mode == sandbox::isolation_mode::landlock_only && w.may_use_pyodide && w.runtimes.pyodide.ok()) {
      w.runtimes.python = w.runtimes.pyodide;
      w.runtimes.python_is_pyodide = true;
    }
  }
  return isolated;
}

void use_caches(dependencies& w) {
  using sandbox::isolation_mode;
  auto mode = isolation_of(w).mode;
  if (w.caches_are_used || mode == isolation_mode::untried)
    return;
  w.caches_are_used = true;
  if (w.cache_folder.empty() || mode == isolation_mode::none)
    return;
  bool boxed = mode == isolation_mode::namespaces; // other caches hold the paths of a box
  if (w.runtimes.typescript.ok() && boxed)
    use_cache(w, w.runtimes.typescript.value, sandbox::deno_cache_recipe(w.runtimes.typescript.value));
  if (!w.runtimes.python.ok() || w.containers || (!boxed && !w.runtimes.python_is_pyodide))
    return;
  auto& python = w.runtimes.python.value;
  use_cache(w, python,
            w.runtimes.python_is_pyodide ? sandbox::pyodide_snapshot_recipe(python)
                                         : sandbox::cpython_cache_recipe(python));
}

bool is_template_starting(dependencies& w, msg::language lang) {
  use_caches(w); // the template uses them as well
  auto& found = w.runtimes.of(lang);
  auto* made = w.template_of(lang);
  bool is_python = lang == msg::language::python;
  bool has_none = is_python ? w.containers || w.runtimes.python_is_pyodide : w.caches_being_made > 0;
  if (!made || has_none || !found.ok() || !w.runtimes.tools.ok())
    return false;
  if (!made->is_ready() && !made->is_starting())
    made->want(environment_for_guest(w), found.value, w.runtimes.tools.value);
  return made->is_starting();
}

actors::connection_factory make_connection_factory(dependencies& w) {
  return connection_maker<msg::child_server_actor>(w);
}

actors::relay_connection_factory make_relay_connection_factory(dependencies& w) {
  return connection_maker<msg::relay_session_actor>(w);
}

child::era_memory make_era_memory(const std::string& state_folder) {
  auto kept = std::make_shared<catalog::known_eras>(state_folder);
  child::era_memory out;
  out.recall = [kept](const msg::server_entry& entry) {
    return kept->is_modern(entry).value_or(true) ? mcp::opening::discover : mcp::opening::initialize;
  };
  out.keep = [kept](const msg::server_entry& entry, bool is_modern) { kept->keep(entry, is_modern); };
  return out;
}

actors::guest_factory make_guest_factory(dependencies& w) {
  return
    [&w](const msg::guest_request& wish, msg::sandbox_actor owner) -> msg::outcome<std::shared_ptr<sandbox::guest>> {
      try {
        return start_guest(w, wish, std::move(owner));
      } catch (const std::system_error& e) { // an actor that ends of it would leave its run without an answer
        return msg::fault{msg::errc::overloaded, "a sandbox can not be started: " + process::error_text(e)};
      }
    };
}

std::function<actors::file_watching()> make_file_watching(dependencies& w) {
  return [executor = w.executor] {
    auto files = std::make_shared<process::file_watch>(executor);
    actors::file_watching out;
    out.prepare = [files](const std::vector<std::string>& paths) -> std::function<bool()> {
      auto watched = std::make_shared<process::watched_files>(paths);
      return [files, watched] { return files->set(std::move(*watched)); };
    };
    out.next_change = [executor, files](std::function<void(bool)> then) {
      asio::co_spawn(executor, tell_of_change(files, std::move(then)), asio::detached);
    };
    out.stop = [files] { files->cancel(); };
    return out;
  };
}

} // namespace bridge
