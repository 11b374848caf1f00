// What a verb is that does one thing as `serve` would for its client, and ends: `run`, `call`, `tools`.
#pragma once

#include "cli/program_output.hpp"
#include "cli/serving_process.hpp"
#include "cli/stderr_writer.hpp"
#include "cli/stdout_writer.hpp"

#include <asio/awaitable.hpp>
#include <asio/steady_timer.hpp>

#include <functional>
#include <memory>
#include <string>

namespace cli {

/// What it has in common with `serve`, and what not: no guest is kept ready, no server is started that nobody needs,
/// and the log has errors alone, unless the settings say how much.
config::settings settings_of_verb(config::settings settings);

/// With the plan of `--faults FILE` in place of that of the settings. Empty: it was not given.
config::settings with_plan(config::settings settings, const std::string& file);

/// Everything that such a verb is made of.
struct verb_parts {
  const config::environment& environment;
  const config::settings& settings; ///< of the verb
  const config::variable_lookup& variables;
  dependency_plan plan;
  std::shared_ptr<stderr_writer> errors; ///< with the log
};

/// The process as a whole: its memory, its log, what it ends with if it can not start. `carry_out` gives the exit code.
int run_verb(const config::environment& environment, const config::settings& settings,
             const config::variable_lookup& variables, dependency_plan plan,
             const std::function<int(verb_parts parts)>& carry_out);

/// A base. A signal ends in order what was begun, a second one at once; and so does a reader of stdout who leaves.
class verb_process : public serving_process {
public:
  /// The exit code.
  int run();

protected:
  explicit verb_process(verb_parts parts);

  /// The session that serves this process as its client.
  virtual void take_session(const msg::client_session_actor&) {}
  /// What it does, once all actors are there. The exit code, unless it is interrupted.
  virtual asio::awaitable<int> carry_out() = 0;
  /// It is to end before that is over.
  virtual void interrupted() {}

  /// On stdout. The exit code: EXIT_SUCCESS, unless it can not be written.
  asio::awaitable<int> print(std::string text);
  /// On stderr: what happened, and to whom. Not what an interruption has brought about.
  void complain(const std::string& what);
  bool was_interrupted() const { return is_interrupted_; }

  program_output notes_; ///< on stderr

private:
  void session_started(const msg::client_session_actor& session) final;
  void signalled() final;
  int late_exit_code() const final;
  asio::awaitable<void> send_the_rest() final;
  asio::awaitable<void> do_all();
  asio::awaitable<void> watch_reader();
  void give_up();

  stdout_writer out_;
  asio::steady_timer over_; ///< cancelled when all is done
  bool is_over_ = false, is_interrupted_ = false;
  int code_ = 1;
};

} // namespace cli
