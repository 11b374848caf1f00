#include "cli/verb_process.hpp"

#include "cli/exit_codes.hpp"
#include "cli/log.hpp"
#include "cli/recordings.hpp"
#include "process/no_throw.hpp"
#include "process/own_memory.hpp"

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <caf/all.hpp>
#include <spdlog/spdlog.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <unistd.h>
#include <utility>

namespace cli {

using std::chrono::milliseconds;

namespace {

/// A reader of stdout who has left is noticed so soon.
constexpr milliseconds reader_look_pause{200};
/// The end waits so long for what it has come to.
constexpr milliseconds last_words_max{200};
/// Whoever has stopped reading stderr may go on so much later.
constexpr std::chrono::minutes unread_max{10};

} // namespace

config::settings settings_of_verb(config::settings settings) {
  settings.sandbox.pool_size = 0;
  settings.sandbox.pool_max = 0;
  settings.python.preload.clear(); // each guest is started for itself
  if (settings.log.level.empty())
    spdlog::set_level(spdlog::level::err);
  return without_traces(std::move(settings));
}

config::settings with_plan(config::settings settings, const std::string& file) {
  if (!file.empty())
    settings.faults = {{}, file, settings.faults.of_runs};
  return settings;
}

int run_verb(const config::environment& environment, const config::settings& settings,
             const config::variable_lookup& variables, dependency_plan plan,
             const std::function<int(verb_parts parts)>& carry_out) {
  process::settle_allocator();
  process::limit_own_memory(settings.process.memory_bytes);
  auto log = log_in_background(settings.log);
  try {
    return carry_out({environment, settings, variables, std::move(plan), log});
  } catch (const std::exception& e) { // without memory for the user's own files, for one
    spdlog::error("this can not start: {}", e.what());
    return EXIT_FAILURE;
  }
}

verb_process::verb_process(verb_parts parts)
  : serving_process(parts.environment, parts.settings, parts.variables, std::move(parts.plan),
                    eager_servers::left_alone),
    notes_(io_.get_executor(), std::move(parts.errors)),
    over_(io_, asio::steady_timer::time_point::max()) {}

int verb_process::run() {
  if (auto wrong = prepare_connections(); wrong.code != msg::errc::none) {
    complain(wrong.message);
    return exit_wrong_settings;
  }
  run_all();
  signals_.clear(); // whatever is left to be done, a signal ends it
  return is_interrupted_ ? EXIT_FAILURE : code_;
}

/// The last of the actors that are started.
void verb_process::session_started(const msg::client_session_actor& session) {
  take_session(session);
  asio::co_spawn(io_, do_all(), [this](std::exception_ptr failed) {
    if (failed)
      code_ = EXIT_FAILURE;
    is_over_ = true;
    over_.cancel();
    end();
  });
  asio::co_spawn(io_, watch_reader(), asio::detached);
}

asio::awaitable<void> verb_process::do_all() {
  code_ = co_await carry_out();
  co_await notes_.until_written(unread_max);
}

void verb_process::give_up() {
  if (std::exchange(is_interrupted_, true))
    return;
  if (!is_over_)
    interrupted();
  end();
}

/// Servers and guests end with us (process/guardian.hpp).
void verb_process::signalled() {
  if (is_interrupted_)
    ::_exit(EXIT_FAILURE);
  complain("interrupted");
  give_up();
}

asio::awaitable<void> verb_process::watch_reader() {
  asio::steady_timer pause{io_};
  while (!is_ending() && !stdout_writer::is_left()) {
    pause.expires_after(reader_look_pause);
    co_await pause.async_wait(process::no_throw);
  }
  if (is_ending())
    co_return;
  notes_.mute();
  give_up();
}

int verb_process::late_exit_code() const { return is_interrupted_ ? EXIT_FAILURE : code_; }

asio::awaitable<void> verb_process::send_the_rest() {
  if (!is_over_) {
    over_.expires_after(last_words_max);
    co_await over_.async_wait(process::no_throw);
  }
  out_.give_up();
}

/// After all that was told before it: on a terminal they are one text.
asio::awaitable<int> verb_process::print(std::string text) {
  co_await notes_.until_written(unread_max);
  auto error = co_await out_.write(threads_.host.get_executor(), std::move(text));
  if (error != 0 && error != EPIPE && error != ECANCELED)
    complain(std::string{"the result could not be written to stdout: "} + std::strerror(error));
  co_return error == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

void verb_process::complain(const std::string& what) {
  if (!is_interrupted_)
    notes_.note("code-executor: " + what);
}

} // namespace cli
