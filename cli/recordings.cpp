#include "cli/recordings.hpp"

#include "cli/complain.hpp"
#include "cli/exit_codes.hpp"
#include "cli/serve.hpp"
#include "process/kept_flags.hpp"
#include "proxy/names.hpp"
#include "recording/exchange.hpp"

#include <CLI/CLI.hpp>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <unistd.h>
#include <utility>

namespace cli {

namespace {

/// As the shell has it for a command that is not there.
constexpr int exit_no_command = 127;

std::string absolute(const std::string& path) {
  std::error_code ec;
  auto whole = std::filesystem::absolute(path, ec);
  return ec ? path : whole.string();
}

msg::fault problem_of_both(const config::recording_settings& wanted) {
  if (wanted.file.empty() || wanted.file != wanted.replay)
    return {};
  return {msg::errc::invalid_argument,
          wanted.file + " can not be written and replayed at once; record into another file"};
}

} // namespace

msg::fault problem_of_recordings(const config::settings& settings) {
  auto& wanted = settings.recording;
  if (auto why = problem_of_both(wanted); why.code != msg::errc::none)
    return why;
  return wanted.replay.empty() ? msg::fault{} : recording::recorded::read(wanted.replay).error;
}

msg::outcome<recording::recordings> recordings_of(const config::settings& settings, asio::any_io_executor line) {
  auto& wanted = settings.recording;
  recording::recordings out;
  if (auto why = problem_of_both(wanted); why.code != msg::errc::none)
    return why;
  if (!wanted.file.empty()) {
    auto to = recording::recorder::open(wanted.file, line);
    if (!to.ok())
      return std::move(to.error);
    out.to = std::move(to.value);
    spdlog::warn("all that goes to the servers and comes from them is recorded in {}", wanted.file);
  }
  if (wanted.replay.empty())
    return out;
  auto from = recording::recorded::read(wanted.replay);
  if (!from.ok())
    return std::move(from.error);
  spdlog::warn("{} answers in the place of the servers: {} exchanges", wanted.replay, from.value.exchanges());
  for (auto& gap : from.value.gaps())
    spdlog::warn("{}: {}", wanted.replay, gap);
  out.from = {std::make_shared<recording::recorded>(std::move(from.value)), wanted.keeps_pace, std::move(line)};
  out.calls_servers = wanted.on_miss == config::replay_miss::call;
  return out;
}

std::function<void(const msg::tool_ref& tool, const msg::document& arguments)>
watcher_of(std::shared_ptr<faults::injector> faults, std::shared_ptr<recording::recorder> to) {
  return [faults = std::move(faults), to = std::move(to)](const msg::tool_ref& tool, const msg::document& arguments) {
    if (!faults->has_planted()) // as ever
      return;
    auto name = tool.full_name.empty() ? proxy::full_name(tool.server, tool.tool) : tool.full_name;
    if (auto canary = faults->watch(name, arguments); !canary.empty() && to)
      to->write(recording::obeyed_line(name, canary));
  };
}

msg::server_entries recorded_servers(const recording::recordings& from, const std::string& path) {
  msg::server_entries entries;
  for (auto& name : from.from.from->servers()) {
    msg::server_entry entry;
    entry.name = name;
    entry.command = path; // nothing is started
    entry.source = path;
    entry.client = "recording";
    entries.push_back(std::move(entry));
  }
  return entries;
}

config::settings without_traces(config::settings settings) {
  if (settings.recording.replay.empty() || settings.recording.on_miss != config::replay_miss::fail)
    return settings;
  settings.state_folder.clear();
  settings.audit.enabled = false;
  return settings;
}

recording_words::recording_words(CLI::App& app, int& argc, char** argv)
  : record_(app.add_subcommand("record", "write down all that goes to the servers and comes from them, while a command "
                                         "runs; without one: while this serves")),
    replay_(app.add_subcommand("replay", "answer in the place of the servers, from a recording, while a command runs; "
                                         "without one: while this serves")) {
  record_->add_option("--out", out_, "the recording; one that is there goes on")->required()->type_name("FILE");
  record_->footer("Example: code-executor record --out session.jsonl -- claude -p 'list my issues'");
  replay_->add_option("file", file_, "the recording")->required();
  replay_->add_option("--on-miss", on_miss_, "what the recording does not have: fail, or call the server")
    ->check(CLI::IsMember({"fail", "call"}));
  replay_->add_flag("--pace", keeps_pace_, "answers take as long as they took");
  replay_->footer("Example: code-executor replay session.jsonl -- pytest tests/agents");
  std::string_view verb = argc > 1 ? argv[1] : "";
  auto* end = argv + argc;
  auto* mark = std::find(argv, end, std::string_view{"--"});
  if ((verb != "record" && verb != "replay") || mark == end)
    return;
  words_.assign(mark + 1, end);
  argc = static_cast<int>(mark - argv);
}

bool recording_words::wanted() const { return record_->parsed() || replay_->parsed(); }

/// The processes of ours that it starts have it from there.
int recording_words::become_command(const config::recording_settings& with) const {
  auto set = [](const char* name, const std::string& value) {
    value.empty() ? ::unsetenv(name) : ::setenv(name, value.c_str(), 1);
  };
  set("CODE_EXECUTOR_RECORD", with.file);
  set("CODE_EXECUTOR_REPLAY", with.replay);
  set("CODE_EXECUTOR_REPLAY_ON_MISS", with.replay.empty() ? "" : on_miss_);
  set("CODE_EXECUTOR_REPLAY_PACE", with.keeps_pace ? "true" : "");
  std::vector<char*> words;
  words.reserve(words_.size() + 1);
  for (auto& word : words_)
    words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  ::execvp(words[0], words.data());
  return complain(words_[0] + " can not be started: " + std::strerror(errno), exit_no_command);
}

int recording_words::run(const config::environment& environment, const config::settings& settings,
                         const config::variable_lookup& variables) const {
  auto with = settings;
  auto& recording = with.recording;
  if (record_->parsed()) {
    recording.file = absolute(out_);
  } else {
    recording.replay = absolute(file_);
    recording.on_miss = on_miss_ == "call" ? config::replay_miss::call : config::replay_miss::fail;
    recording.keeps_pace = keeps_pace_;
    if (auto from = recording::recorded::read(recording.replay); !from.ok()) // before anything is started
      return complain(from.error.message, exit_wrong_settings);
  }
  if (!words_.empty())
    return become_command(recording);
  process::kept_flags in{STDIN_FILENO}, out{STDOUT_FILENO};
  return serve(environment, with, variables, std::nullopt);
}

} // namespace cli
