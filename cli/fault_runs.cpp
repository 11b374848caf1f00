#include "cli/fault_runs.hpp"

#include "cli/colours.hpp"
#include "cli/complain.hpp"
#include "cli/exit_codes.hpp"
#include "cli/fault_matrix.hpp"
#include "cli/fault_plan.hpp"
#include "cli/fault_reports.hpp"
#include "cli/print_document.hpp"
#include "cli/program_file.hpp"
#include "cli/scratch_folder.hpp"
#include "config/config_file.hpp"
#include "faults/kind.hpp"
#include "faults/presets.hpp"
#include "faults/trace.hpp"
#include "faults/verdicts.hpp"
#include "process/child.hpp"
#include "process/command.hpp"
#include "process/find_executable.hpp"
#include "process/guardian.hpp"
#include "text/printable.hpp"

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/io_context.hpp>
#include <asio/signal_set.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string_view>
#include <thread>
#include <unistd.h>
#include <utility>

namespace cli {

namespace json = boost::json;
namespace fs = std::filesystem;
using msg::fault;
using std::chrono::steady_clock;

namespace {

constexpr uint32_t jobs_most = 64, seeds_most = 1'000;
/// Of a kind that the plan does not have, where nothing else is said.
constexpr double usual_rate = 0.2;

json::array rules_of(const json::object& plan) {
  json::array out;
  if (auto* rules = plan.if_contains("rules"); rules && rules->is_array())
    out = rules->get_array();
  if (auto* preset = plan.if_contains("preset"); preset && preset->is_string())
    if (auto of = faults::preset_rules(preset->get_string()); of.value().is_array())
      out.insert(out.end(), of.value().get_array().begin(), of.value().get_array().end());
  return out;
}

std::vector<std::string> kinds_in(const json::array& rules) {
  std::vector<std::string> out;
  for (auto& rule : rules)
    if (auto kind = std::string{rule.at("kind").as_string()}; std::find(out.begin(), out.end(), kind) == out.end())
      out.push_back(std::move(kind));
  return out;
}

/// The rules of one kind; of one that the plan does not have, a rule that matches what the others do.
json::array rules_for(const json::array& all, const fault_run& run) {
  json::array out;
  for (auto& rule : all)
    if (run.kind == all_kinds_name || rule.at("kind").as_string() == std::string_view{run.kind})
      out.push_back(rule);
  auto kind = faults::kind_named(run.kind);
  auto moments = kind ? faults::facts_of(*kind).moments : std::string_view{};
  if (out.empty() && (moments == "model" || moments == "login"))
    out.push_back(json::object{{"match", "*"}, {"on", moments}, {"kind", run.kind}, {"probability", usual_rate}});
  else if (out.empty())
    for (auto& rule : all)
      out.push_back(json::object{{"match", rule.at("match")}, {"kind", run.kind}, {"probability", usual_rate}});
  if (run.rate < 0)
    return out;
  for (auto& rule : out) {
    auto& object = rule.get_object();
    object.erase("nth");
    object.erase("every");
    object["probability"] = run.rate;
  }
  return out;
}

std::string end_of(const process::command_result& result) {
  return result.timed_out ? "was killed: it took too long" : result.status.text();
}

std::string tail(std::string text) {
  return text.size() <= fault_output_bytes_max ? std::move(text) : text.substr(text.size() - fault_output_bytes_max);
}

/// Variables of ours, without those that the command gets from us.
process::c_texts environment_with(const std::vector<std::pair<std::string, std::string>>& own) {
  process::c_texts out;
  for (char** each = environ; *each; ++each) {
    std::string_view variable{*each};
    if (std::none_of(own.begin(), own.end(), [&](auto& one) { return variable.starts_with(one.first + "="); }))
      out.emplace_back(variable);
  }
  for (auto& [name, value] : own) {
    auto variable = name + "=";
    variable += value;
    if (!value.empty())
      out.emplace_back(std::move(variable));
  }
  return out;
}

/// Plays the runs, some at once.
class player {
public:
  /// `commands`: of each program of the runs, in the order in which they come; each begins with a path.
  player(fault_report& report, json::array rules, std::vector<std::vector<std::string>> commands,
         std::chrono::seconds timeout)
    : report_(report),
      rules_(std::move(rules)),
      commands_(std::move(commands)),
      timeout_(timeout) {
    signals_.add(SIGQUIT);
  }

  bool has_folder() const { return !folder_.path().empty(); }
  /// By a person or a timer: what was going on is ended, and nothing is left.
  bool was_interrupted() const { return is_interrupted_; }

  /// Without any fault: what fails then says nothing.
  fault_run play_without_faults(size_t command) {
    fault_run run;
    variables none{{"CODE_EXECUTOR_FAULTS", ""}, {"CODE_EXECUTOR_FAULTS_TRACE", ""}};
    asio::co_spawn(io_, play(run, commands_[command], std::move(none)),
                   [this](std::exception_ptr) { signals_.cancel(); });
    run_loop();
    return run;
  }

  void play_all(size_t jobs) {
    jobs_ = std::min(jobs, report_.runs.size());
    for (size_t i = 0; i < std::min(jobs, report_.runs.size()); ++i)
      asio::co_spawn(io_, play_in_turn(), [this](std::exception_ptr) {
        if (--jobs_ == 0)
          signals_.cancel();
      });
    run_loop();
  }

private:
  void run_loop() {
    io_.restart();
    signals_.async_wait([this](asio::error_code cancelled, int) {
      is_interrupted_ = !cancelled;
      if (is_interrupted_)
        io_.stop(); // commands end with what waits for them
    });
    io_.run();
  }

  asio::awaitable<void> play_in_turn() {
    while (next_ < report_.runs.size()) {
      auto number = next_++;
      auto& run = report_.runs[number];
      auto plan = folder_.path() + "/" + std::to_string(number) + ".json", trace = plan + "l";
      msg::document what{json::object{{"seed", run.seed}, {"rules", rules_for(rules_, run)}}};
      std::ofstream{plan} << what.text();
      variables own{{"CODE_EXECUTOR_FAULTS", plan}, {"CODE_EXECUTOR_FAULTS_TRACE", trace}};
      co_await play(run, command_of(number), std::move(own));
      auto seen = faults::read_trace(trace);
      run.calls = std::move(seen.calls);
      run.hits = seen.hits;
      run.tokens = seen.tokens;
      run.verdicts = faults::judge(run.calls);
      run.recovery_ms = faults::recovery_ms(run.calls);
      std::error_code ignored;
      fs::remove(trace, ignored);
      show_progress(++done_);
    }
  }

  using variables = std::vector<std::pair<std::string, std::string>>;

  /// Each has as many runs.
  const std::vector<std::string>& command_of(size_t run) const {
    return commands_[run / (report_.runs.size() / commands_.size())];
  }

  asio::awaitable<void> play(fault_run& run, const std::vector<std::string>& command, variables own) {
    process::launch what;
    for (auto& word : command)
      what.argv.emplace_back(word);
    what.environment = environment_with(own);
    auto begin = steady_clock::now();
    auto result = co_await process::run_command(io_.get_executor(), std::move(what), timeout_);
    run.took_ms =
      static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(steady_clock::now() - begin).count());
    run.survived = result.ok() && result.value.succeeded();
    run.end = result.ok() ? end_of(result.value) : result.error.message;
    run.output = tail(result.value.errors.empty() ? std::move(result.value.output) : std::move(result.value.errors));
  }

  void show_progress(size_t done) const {
    constexpr size_t width = 40;
    if (::isatty(STDERR_FILENO) != 1)
      return;
    auto all = report_.runs.size();
    auto filled = done * width / all;
    auto coloured = [](std::string text) { return has_colours(STDERR_FILENO) ? "\033[32m" + text + "\033[0m" : text; };
    std::cerr << "\r" << coloured(std::string(filled, '#')) << std::string(width - filled, '.') << " " << done << " of "
              << all << (done == all ? "\n" : "") << std::flush;
  }

  process::guardian guardian_; ///< of the commands, however this process ends
  fault_report& report_;
  json::array rules_;
  std::vector<std::vector<std::string>> commands_;
  std::chrono::seconds timeout_;
  scratch_folder folder_{"code-executor-faults"};
  asio::io_context io_;
  asio::signal_set signals_{io_, SIGINT, SIGTERM, SIGHUP};
  size_t next_ = 0, done_ = 0, jobs_ = 0;
  bool is_interrupted_ = false;
};

/// 0, or errno.
int write_file(const std::string& path, const std::string& text) {
  if (path.empty())
    return 0;
  // Nobody may be there who reads from a pipe of that name.
  constexpr auto how = O_WRONLY | O_CREAT | O_TRUNC | O_NONBLOCK | O_CLOEXEC;
  process::descriptor file{::open(path.c_str(), how, 0644)};
  if (!file || ::fcntl(file.get(), F_SETFL, 0) != 0)
    return errno;
  for (std::string_view left = text; !left.empty();) {
    auto written = ::write(file.get(), left.data(), left.size());
    if (written <= 0)
      return errno;
    left.remove_prefix(static_cast<size_t>(written));
  }
  return 0;
}

} // namespace

fault_run_words::fault_run_words(CLI::App& parent, bool& as_json, int& argc, char** argv)
  : command_(parent.add_subcommand("run", "play programs, or a command, under each fault of a plan, and say what "
                                          "survived and what was done")) {
  command_->add_option("plan", plan_, "path of the plan")->required();
  command_->add_option("program", programs_, "programs (.ts, .js, .py) that are played by `code-executor run`")
    ->type_name("FILE");
  command_->add_option("--seeds", seeds_, "so many seeds, from 1; 5")->check(CLI::Range(1U, seeds_most));
  command_->add_option("--kinds", kinds_, "kinds, separated by ','; those of the plan, and the whole plan: all")
    ->delimiter(',');
  command_->add_option("--rates", rates_, "probabilities, separated by ','; without any: as the plan has it")
    ->delimiter(',')
    ->check(CLI::Validator{[](auto& word) { // "nan" is neither less than 0 nor more than 1
                             auto rate = std::strtod(word.c_str(), nullptr);
                             return rate >= 0 && rate <= 1 ? std::string{} : "'" + word + "' is no number from 0 to 1";
                           },
                           "FLOAT in [0 - 1]"});
  command_->add_option("--jobs", jobs_, "so many at once; as many as there are processors")
    ->check(CLI::Range(1U, jobs_most));
  command_->add_option("--timeout", timeout_s_, "seconds that the command may take; 300")
    ->check(CLI::Range(1U, 86'400U));
  command_->add_option("--require", required_, "share that has to survive, 0 to 1; else exit code 1")
    ->check(CLI::Range(0.0, 1.0));
  command_
    ->add_option("--fail-on", fail_on_,
                 "what may not happen: retried, runaway, blind-write, double-write, gave-up, obeyed")
    ->delimiter(',');
  command_->add_option("--junit", junit_, "write JUnit XML there")->type_name("FILE");
  command_->add_option("--html", html_, "write a page there that needs no other file")->type_name("FILE");
  command_
    ->add_option("--out", out_, "keep the report there as JSON, for history and compare; in a folder: under its date")
    ->type_name("FILE");
  command_->add_flag("--json", as_json, "print one JSON document");
  command_->footer(
    "Examples: code-executor faults run plan.json --require 0.95 close-tickets.ts\n"
    "          code-executor faults run plan.json --require 0.95 --fail-on double-write -- python3 agent.py");
  auto* end = argv + argc;
  auto* mark = std::find(argv, end, std::string_view{"--"});
  if (argc < 3 || std::string_view{argv[1]} != "faults" || std::string_view{argv[2]} != "run" || mark == end)
    return;
  words_.assign(mark + 1, end);
  argc = static_cast<int>(mark - argv);
}

bool fault_run_words::wanted() const { return command_->parsed(); }

/// Which runs there are. The fault says what is wrong with the words.
msg::outcome<fault_report> fault_run_words::matrix(const json::array& rules) const {
  auto kinds = kinds_.empty() ? kinds_in(rules) : kinds_;
  for (auto& kind : kinds)
    if (kind != all_kinds_name && !faults::kind_named(kind))
      return msg::fault{msg::errc::invalid_argument,
                        "there is no kind '" + kind + "'; `code-executor faults list` has them"};
  if (kinds_.empty() && kinds.size() > 1)
    kinds.emplace_back(all_kinds_name);
  auto rates = rates_.empty() ? std::vector<double>{-1} : rates_;
  auto programs = programs_.size() > 1 ? programs_ : std::vector<std::string>(1);
  if (programs.size() * kinds.size() * rates.size() * seeds_ > fault_runs_max)
    return msg::fault{msg::errc::invalid_argument, "these are more than " + std::to_string(fault_runs_max) + " runs"};
  fault_report report;
  report.date = text_of_now();
  report.plan = plan_;
  report.command = shown_command();
  for (auto& program : programs)
    for (auto& kind : kinds)
      for (auto rate : rates)
        for (uint64_t seed = 1; seed <= seeds_; ++seed) {
          auto& run = report.runs.emplace_back();
          run.program = program;
          run.kind = kind;
          run.rate = rate;
          run.seed = seed;
        }
  return report;
}

std::string fault_run_words::shown_command() const {
  std::string out = programs_.empty() ? "" : "code-executor run";
  for (auto& word : programs_.empty() ? words_ : programs_)
    out += (out.empty() ? "" : " ") + word;
  return out;
}

msg::outcome<std::vector<std::vector<std::string>>> fault_run_words::commands() const {
  auto wrong = [](std::string what) { return fault{msg::errc::invalid_argument, std::move(what)}; };
  if (words_.empty() == programs_.empty())
    return wrong(words_.empty() ? "what is to be played? Files of programs, or a command behind --"
                                : "either programs are played, or a command behind --");
  std::vector<std::vector<std::string>> out;
  std::error_code ec;
  for (auto& file : programs_) {
    if (!language_of(file) || !fs::is_regular_file(file, ec))
      return wrong(file + (language_of(file) ? " is no file" : " is no program: its name ends with .ts, .js or .py"));
    out.push_back({process::own_executable(), "run", file});
  }
  if (!out.empty())
    return out;
  auto* path = std::getenv("PATH");
  auto program = process::find_executable(words_[0], path ? path : "", fs::current_path(ec).string());
  if (program.empty())
    return wrong("there is no command " + words_[0]);
  out.push_back(words_);
  out[0][0] = std::move(program);
  return out;
}

int fault_run_words::tell(const fault_report& report, output_form form) const {
  if (form == output_form::json)
    print_document(as_document(report));
  else
    std::cout << as_text(report);
  auto kept = out_.empty() ? std::string{} : text::printable(json::serialize(as_document(report))) + "\n";
  const std::pair<std::string, std::string> files[] = {
    {junit_, as_junit(report)}, {html_, as_html(report)}, {report_path(out_, report.date), std::move(kept)}};
  for (auto& [path, text] : files)
    if (auto error = write_file(path, text); error != 0)
      return complain("faults run: the report can not be written to " + path + ": " + std::strerror(error)
                        + "; name another file",
                      EXIT_FAILURE);
  bool has_done_wrong = std::any_of(fail_on_.begin(), fail_on_.end(),
                                    [&](auto& name) { return report.count(faults::behavior_named(name).value()) > 0; });
  if (report.hit() == 0)
    return complain("faults run: no fault was injected in any run, which shows nothing", exit_wrong_use);
  bool is_enough = required_ < 0 || report.survival() >= required_;
  return is_enough && !has_done_wrong ? EXIT_SUCCESS : EXIT_FAILURE;
}

int fault_run_words::run(output_form form) const {
  auto wrong = [](const std::string& what) { return complain("faults run: " + what, exit_wrong_use); };
  auto commands = this->commands();
  if (!commands.ok())
    return wrong(commands.error.message);
  for (auto& name : fail_on_)
    if (!faults::behavior_named(name))
      return wrong("--fail-on knows no '" + name + "'");
  if (auto plan = read_plan_file(plan_); !plan.ok())
    return wrong(plan.error.message);
  auto rules = rules_of(config::config_file::read(plan_).root().as_object());
  if (rules.empty())
    return wrong("the plan has no rules");
  auto report = matrix(rules);
  if (!report.ok())
    return wrong(report.error.message);
  auto played = commands.value.size();
  player play{report.value, std::move(rules), std::move(commands.value), std::chrono::seconds{timeout_s_}};
  if (!play.has_folder())
    return complain("faults run: no folder can be made for the plans", EXIT_FAILURE);
  for (size_t i = 0; i < played; ++i) {
    auto without = play.play_without_faults(i);
    if (play.was_interrupted())
      return exit_interrupted;
    if (!without.survived)
      return wrong((programs_.empty() ? "the command" : programs_[i]) + " fails without any fault: " + without.end
                   + "\n" + without.output);
  }
  play.play_all(jobs_ > 0 ? jobs_ : std::max(1U, std::thread::hardware_concurrency()));
  if (play.was_interrupted())
    return exit_interrupted;
  return tell(report.value, form);
}

} // namespace cli
