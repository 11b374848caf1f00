#include "actors/bridge/background.hpp"

#include "memory/store.hpp"
#include "process/machine.hpp"
#include "process/offload.hpp"
#include "proxy/discovery.hpp"
#include "sampling/known_content.hpp"
#include "sandbox/type_check.hpp"
#include "signatures/server_module.hpp"

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/post.hpp>
#include <asio/steady_timer.hpp>
#include <spdlog/spdlog.h>

#include <utility>

namespace bridge {

namespace {

/// A value that was read stays parsed for so long: it takes ten times the memory of its text.
constexpr std::chrono::seconds read_output_idle{5};

/// `done` is called on the main thread.
template <class Answer>
asio::awaitable<void> carry_out(asio::any_io_executor worker, std::function<Answer()> work, std::function<void(Answer)> done) {
  auto answer = co_await process::offload(worker, std::move(work));
  done(std::move(answer));
}

template <class Answer>
void work_there(world& w, std::function<Answer()> work, std::function<void(Answer)> done) {
  asio::co_spawn(w.executor, carry_out<Answer>(w.worker, std::move(work), std::move(done)), asio::detached);
}

msg::outcome<msg::document> remember(memory::store& store, const msg::memory_request& request) {
  auto answer = store.run(request);
  if (auto warning = store.take_warning(); !warning.empty())
    spdlog::warn("{}", warning);
  return answer;
}

/// The store, and when to forget what it has read.
struct output_shelf {
  explicit output_shelf(world& w, outputs::store_options options) : worker(w.worker), store(std::move(options)), idle(w.executor) {}
  asio::any_io_executor worker;
  outputs::store store;
  asio::steady_timer idle;
};

void forget_when_idle(const std::shared_ptr<output_shelf>& shelf) {
  shelf->idle.expires_after(read_output_idle);
  shelf->idle.async_wait([weak = std::weak_ptr{shelf}](asio::error_code ec) {
    if (auto still = weak.lock(); still && !ec)
      asio::post(still->worker, [still] { still->store.forget(); });
  });
}

/// Opened by the first question, on the worker thread.
struct lazy_catalog {
  std::string folder;
  std::vector<msg::server_entry> servers;
  msg::name_policy policy;
  catalog::changed_tools rule = catalog::changed_tools::unwatched;
  std::unique_ptr<proxy::discovery> tools;
};

catalog::changed_tools rule_of(config::pin_policy pins) {
  switch (pins) {
    case config::pin_policy::off: return catalog::changed_tools::unwatched;
    case config::pin_policy::warn: return catalog::changed_tools::marked;
    case config::pin_policy::block: return catalog::changed_tools::held;
  }
  return catalog::changed_tools::held;
}

msg::catalog_answer look_up(lazy_catalog& where, const msg::catalog_request& request) {
  if (!where.tools)
    where.tools =
      std::make_unique<proxy::discovery>(where.folder, std::exchange(where.servers, {}), where.policy, where.rule, sampling::knows_content);
  auto answer = where.tools->answer(request);
  for (auto warning = where.tools->take_warning(); !warning.empty(); warning = where.tools->take_warning())
    spdlog::warn("{}", warning);
  return answer;
}

asio::awaitable<void> check_there(world& w, actors::check_request what, std::shared_ptr<sandbox::type_check_stop> stop,
                                  std::function<void(msg::outcome<msg::document>)> done) {
  auto tools = std::move(what.tools);
  auto work = [tools = std::move(tools), code = what.code] { return signatures::typescript_for_checking(signatures::mentioned_in(code, tools)); };
  auto servers = co_await process::offload(w.worker, std::move(work));
  sandbox::type_check_job job{std::move(what.code), std::move(servers), what.timeout};
  auto problems = co_await sandbox::check_types(w.executor, w.runtimes.typescript.value, w.runtimes.tools.value, std::move(job), std::move(stop));
  done(std::move(problems));
}

} // namespace

actors::background_work make_background_work(world& w) {
  return [&w](std::function<void()> work, std::function<void()> done) {
    auto there = [work = std::move(work)] { return work(), true; };
    work_there<bool>(w, std::move(there), [done = std::move(done)](bool) { done(); });
  };
}

actors::type_checker make_type_checker(world& w) {
  return [&w](actors::check_request what, std::function<void(msg::outcome<msg::document>)> done) -> std::function<void()> {
    walls_of(w); // tried, if nothing was yet
    if (!w.runtimes.tools.ok() || !w.runtimes.typescript.ok()) {
      done(w.runtimes.tools.ok() ? w.runtimes.typescript.error : w.runtimes.tools.error);
      return [] {};
    }
    auto stop = std::make_shared<sandbox::type_check_stop>();
    asio::co_spawn(w.executor, check_there(w, std::move(what), stop, std::move(done)), asio::detached);
    return [stop] { stop->stop(); };
  };
}

actors::background_memory make_background_memory(world& w, const std::string& state_folder, const std::string& project) {
  auto store = std::make_shared<memory::store>(state_folder);
  return [&w, store, project](msg::memory_request request, std::function<void(msg::outcome<msg::document>)> done) {
    request.scope.project = project;
    auto work = [store, request = std::move(request)] { return remember(*store, request); };
    work_there<msg::outcome<msg::document>>(w, std::move(work), std::move(done));
  };
}

actors::background_outputs make_background_outputs(world& w, outputs::store_options options) {
  auto shelf = std::make_shared<output_shelf>(w, std::move(options));
  asio::post(w.worker, [shelf] { shelf->store.sweep(); });
  return [&w, shelf](msg::output_request request, std::function<void(msg::outcome<msg::output_answer>)> done) {
    bool reads = request.operation == msg::output_operation::read;
    auto work = [shelf, request = std::move(request)]() mutable {
      auto answer = shelf->store.run(request);
      request = {}; // the end of a large value takes long as well
      return answer;
    };
    work_there<msg::outcome<msg::output_answer>>(w, std::move(work), [shelf, reads, done = std::move(done)](auto answer) {
      if (reads)
        forget_when_idle(shelf);
      done(std::move(answer));
    });
  };
}

actors::background_catalog make_background_catalog(world& w, const std::string& state_folder, std::vector<msg::server_entry> servers,
                                                   const config::security_settings& settings) {
  auto where = std::make_shared<lazy_catalog>();
  where->folder = state_folder;
  where->servers = std::move(servers);
  where->policy = settings.tools;
  where->rule = rule_of(settings.pins);
  return [&w, where](msg::catalog_request request, std::function<void(msg::catalog_answer)> done) {
    auto work = [where, request = std::move(request)] { return look_up(*where, request); };
    work_there<msg::catalog_answer>(w, std::move(work), std::move(done));
  };
}

actors::background_audit make_background_audit(world& w, audit::log_options options) {
  auto log = std::make_shared<audit::log>(std::move(options));
  return [&w, log](actors::audit_batch batch, std::function<void(audit::write_report)> done) {
    auto work = [log, batch = std::move(batch)] { return log->append(*batch); };
    work_there<audit::write_report>(w, std::move(work), [done = std::move(done)](audit::write_report report) {
      if (!report.warning.empty())
        spdlog::warn("audit log: {}", report.warning);
      done(std::move(report));
    });
  };
}

actors::machine_observer make_machine_observer(world& w, const std::string& state_folder) {
  return [&w, state_folder](std::function<void(msg::machine_status)> done) {
    work_there<msg::machine_status>(
      w, [state_folder] { return process::look_at_machine(state_folder); }, std::move(done));
  };
}

} // namespace bridge
