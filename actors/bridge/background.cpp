#include "actors/bridge/background.hpp"

#include "actors/bridge/check_turns.hpp"
#include "content_filter/known_content.hpp"
#include "mcp/asked_secrets.hpp"
#include "process/machine.hpp"
#include "process/offload.hpp"
#include "proxy/discovery.hpp"
#include "proxy/memory/store.hpp"
#include "proxy/types/server_module.hpp"
#include "sandbox/runtimes/type_check.hpp"

#include <asio/co_spawn.hpp>
#include <asio/post.hpp>
#include <asio/steady_timer.hpp>
#include <spdlog/spdlog.h>

#include <exception>
#include <map>
#include <string>
#include <utility>

namespace bridge {

static_assert(actors::type_check_wait_max >= 2 * sandbox::type_check_time_max);

namespace {

/// A value that was read stays parsed for so long: it takes ten times the memory of its text.
constexpr std::chrono::seconds read_output_idle{5};

/// `done` is called on the main thread, whatever happens.
template <class Answer>
void answer_with(dependencies& w, asio::awaitable<msg::outcome<Answer>> work,
                 std::function<void(msg::outcome<Answer>)> done) {
  asio::co_spawn(w.executor, std::move(work),
                 [done = std::move(done)](std::exception_ptr failed, msg::outcome<Answer> answer) {
                   if (failed)
                     done(process::fault_of(failed));
                   else
                     done(std::move(answer));
                 });
}

template <class Answer>
void work_there(dependencies& w, const asio::any_io_executor& where, std::function<msg::outcome<Answer>()> work,
                std::function<void(msg::outcome<Answer>)> done) {
  answer_with<Answer>(w, process::offload(where, std::move(work)), std::move(done));
}

void do_there(dependencies& w, const asio::any_io_executor& where, std::function<void()> work,
              std::function<void(msg::fault)> done) {
  auto there = [work = std::move(work)]() -> msg::outcome<bool> { return work(), true; };
  work_there<bool>(w, where, std::move(there),
                   [done = std::move(done)](msg::outcome<bool> answer) { done(std::move(answer.error)); });
}

msg::outcome<msg::document> remember(memory::store& store, const msg::memory_request& request) {
  auto answer = store.run(request);
  if (auto warning = store.take_warning(); !warning.empty())
    spdlog::warn("{}", warning);
  return answer;
}

/// Of what nobody has asked for.
void tell_of(memory::store& store, const msg::fault& problem) {
  if (problem.code != msg::errc::none)
    spdlog::warn("what clients without a token have kept could not be deleted: {}; it is tried again later",
                 problem.message);
  if (auto warning = store.take_warning(); !warning.empty())
    spdlog::warn("{}", warning);
}

/// The store, whose turn it is, and when to forget what it has read.
struct output_shelf {
  output_shelf(dependencies& w, artifacts::store_options options)
    : there(w.there.outputs),
      own_line(there.line()),
      store(std::move(options)),
      idle(w.executor) {}
  process::fair_threads& there;
  asio::any_io_executor own_line;                  ///< of the server itself
  std::map<uint64_t, asio::any_io_executor> lines; ///< of runs
  artifacts::store store;
  asio::steady_timer idle;

  asio::any_io_executor line_of(uint64_t run) {
    if (run == 0)
      return own_line;
    auto [place, is_new] = lines.try_emplace(run);
    if (is_new)
      place->second = there.line();
    return place->second;
  }
  void end(uint64_t run) {
    if (auto line = lines.extract(run))
      process::give_up(line.mapped());
  }
};

void forget_when_idle(const std::shared_ptr<output_shelf>& shelf) {
  shelf->idle.expires_after(read_output_idle);
  shelf->idle.async_wait([weak = std::weak_ptr{shelf}](asio::error_code ec) {
    if (auto still = weak.lock(); still && !ec)
      asio::post(still->own_line, [still] { still->store.forget(); });
  });
}

/// A line that ends with the last who may use it.
struct own_line {
  explicit own_line(process::fair_threads& there) : line(there.line()) {}
  own_line(const own_line&) = delete;
  own_line& operator=(const own_line&) = delete;
  ~own_line() { process::give_up(line); }
  asio::any_io_executor line;
};

/// Opened by the first question, on the thread of the catalog.
struct lazy_catalog {
  std::string folder;
  std::vector<msg::server_entry> servers;
  msg::name_policy policy;
  catalog::changed_tools rule = catalog::changed_tools::unwatched;
  std::unique_ptr<proxy::discovery> tools;
};

msg::catalog_answer look_up(lazy_catalog& where, const msg::catalog_request& request) {
  if (!where.tools)
    where.tools = std::make_unique<proxy::discovery>(where.folder, std::exchange(where.servers, {}), where.policy,
                                                     where.rule, what_is_private());
  auto answer = where.tools->answer(request);
  for (auto warning = where.tools->take_warning(); !warning.empty(); warning = where.tools->take_warning())
    spdlog::warn("{}", warning);
  return answer;
}

asio::awaitable<msg::outcome<msg::document>> check_there(dependencies& w, msg::type_check_request what,
                                                         std::shared_ptr<sandbox::type_check_stop> stop) {
  auto tools = std::move(what.tools);
  auto work = [tools = std::move(tools), code = what.code] {
    return types::typescript_for_checking(types::mentioned_in(code, tools));
  };
  auto servers = co_await process::offload(w.there.work.line(), std::move(work));
  if (!servers.ok())
    co_return std::move(servers.error);
  sandbox::type_check_job job{std::move(what.code), std::move(servers.value),
                              std::chrono::milliseconds{what.timeout_ms}};
  co_return co_await sandbox::check_types(w.executor, w.runtimes.typescript.value, w.runtimes.tools.value,
                                          std::move(job), std::move(stop));
}

using checked = std::function<void(msg::outcome<msg::document>)>;

msg::fault waited_too_long() {
  return {msg::errc::overloaded,
          "the types were not checked, and nothing was executed: the check waited "
            + std::to_string(actors::type_check_wait_max.count())
            + " ms for its turn, while others were checked; try again later, or without typeCheck"};
}

} // namespace

types::private_things what_is_private() { return {content_filter::knows_content, mcp::names_secret}; }

catalog::changed_tools rule_of(config::pin_policy pins) {
  switch (pins) {
    case config::pin_policy::off: return catalog::changed_tools::unwatched;
    case config::pin_policy::warn: return catalog::changed_tools::marked;
    case config::pin_policy::block: return catalog::changed_tools::held;
  }
  return catalog::changed_tools::held;
}

actors::background_work make_background_work(dependencies& w) {
  return [&w, own = std::make_shared<own_line>(w.there.work)](std::function<void()> work,
                                                              std::function<void(msg::fault)> done) {
    do_there(w, own->line, std::move(work), std::move(done));
  };
}

actors::background_work make_vital_work(dependencies& w) {
  return [&w](std::function<void()> work, std::function<void(msg::fault)> done) {
    do_there(w, w.there.host.get_executor(), std::move(work), std::move(done));
  };
}

actors::type_checker make_type_checker(dependencies& w) {
  auto turns = std::make_shared<check_turns>(w.executor, checks_at_once(), actors::type_check_wait_max);
  return [&w, turns](uint64_t client, msg::type_check_request what, checked done) -> std::function<void()> {
    isolation_of(w); // tried, if nothing was yet
    if (!w.runtimes.tools.ok() || !w.runtimes.typescript.ok()) {
      done(w.runtimes.tools.ok() ? w.runtimes.typescript.error : w.runtimes.tools.error);
      return [] {};
    }
    auto stop = std::make_shared<sandbox::type_check_stop>();
    auto begin = [&w, what = std::move(what), stop, done](check_turns::turn turn) mutable {
      answer_with<msg::document>(w, check_there(w, std::move(what), stop),
                                 [turn = std::move(turn), done = std::move(done)](auto answer) { done(answer); });
    };
    auto number = turns->enter(client, std::move(begin), [done] { done(waited_too_long()); });
    return [stop, turns, number, done] {
      stop->stop();
      if (turns->leave(number))
        done(msg::fault{msg::errc::cancelled, "the request was cancelled"});
    };
  };
}

memory_work make_background_memory(dependencies& w, const std::string& state_folder, const std::string& project) {
  auto store = std::make_shared<memory::store>(state_folder);
  memory_work out;
  out.carry_out = [&w, store, project](msg::memory_request request,
                                       std::function<void(msg::outcome<msg::document>)> done) {
    request.scope.project = project;
    auto work = [store, request = std::move(request)] { return remember(*store, request); };
    work_there<msg::document>(w, w.there.memory.get_executor(), std::move(work), std::move(done));
  };
  auto tidy_up = [&w, store](std::function<msg::fault()> work) {
    auto told = [store, work = std::move(work)] { tell_of(*store, work()); };
    do_there(w, w.there.memory.get_executor(), told, [](const msg::fault&) {});
  };
  out.owners.began = [store, tidy_up](const std::string& owner) {
    tidy_up([store, owner] { return store->began(owner), msg::fault{}; });
  };
  out.owners.ended = [store, tidy_up, project](const std::string& owner) {
    tidy_up([store, scope = msg::memory_scope{owner, project}] { return store->ended(scope); });
  };
  out.owners.none_yet = [store, tidy_up] { tidy_up([store] { return store->sweep(); }); };
  return out;
}

output_work make_background_artifacts(dependencies& w, artifacts::store_options options) {
  auto shelf = std::make_shared<output_shelf>(w, std::move(options));
  asio::post(shelf->own_line, [shelf] { shelf->store.sweep(); });
  auto carry_out = [&w, shelf](msg::artifact_request request,
                               std::function<void(msg::outcome<msg::artifact_answer>)> done) {
    bool reads = request.operation == msg::artifact_operation::read;
    auto line = shelf->line_of(request.run);
    auto work = [shelf, request = std::move(request)]() mutable {
      auto answer = shelf->store.run(request);
      request = {}; // the end of a large value takes long as well
      return answer;
    };
    work_there<msg::artifact_answer>(w, line, std::move(work), [shelf, reads, done = std::move(done)](auto answer) {
      if (reads)
        forget_when_idle(shelf);
      done(std::move(answer));
    });
  };
  return {std::move(carry_out), [shelf](uint64_t run) { shelf->end(run); }};
}

actors::background_catalog make_background_catalog(dependencies& w, const std::string& state_folder,
                                                   std::vector<msg::server_entry> servers,
                                                   const config::security_settings& settings) {
  auto where = std::make_shared<lazy_catalog>();
  where->folder = state_folder;
  where->servers = std::move(servers);
  where->policy = settings.tools;
  where->rule = rule_of(settings.pins);
  return [&w, where](msg::catalog_request request, std::function<void(msg::catalog_answer)> done) {
    auto work = [where, request = std::move(request)]() -> msg::outcome<msg::catalog_answer> {
      return look_up(*where, request);
    };
    work_there<msg::catalog_answer>(w, w.there.catalog.get_executor(), std::move(work),
                                    [done = std::move(done)](msg::outcome<msg::catalog_answer> answer) {
                                      if (!answer.ok())
                                        answer.value.error = std::move(answer.error);
                                      done(std::move(answer.value));
                                    });
  };
}

actors::background_audit make_background_audit(dependencies& w, audit::log_options options) {
  auto log = std::make_shared<audit::log>(std::move(options));
  return [&w, log](actors::audit_batch batch, std::function<void(audit::write_report)> done) {
    auto work = [log, batch = std::move(batch)]() -> msg::outcome<audit::write_report> { return log->append(*batch); };
    work_there<audit::write_report>(w, w.there.record.get_executor(), std::move(work),
                                    [done = std::move(done)](msg::outcome<audit::write_report> answer) {
                                      auto& report = answer.value;
                                      if (!answer.ok())
                                        report = {audit::write_result::failed, std::move(answer.error.message), {}};
                                      if (!report.warning.empty())
                                        spdlog::warn("audit log: {}", report.warning);
                                      done(std::move(report));
                                    });
  };
}

actors::machine_observer make_machine_observer(dependencies& w, const std::string& state_folder) {
  return [&w, state_folder](std::function<void(msg::machine_status)> done) {
    auto work = [state_folder]() -> msg::outcome<msg::machine_status> {
      return process::look_at_machine(state_folder);
    };
    work_there<msg::machine_status>(
      w, w.there.host.get_executor(), std::move(work),
      [done = std::move(done)](msg::outcome<msg::machine_status> answer) { done(std::move(answer.value)); });
  };
}

} // namespace bridge
