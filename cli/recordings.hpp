// `code-executor record` and `replay`: a command, or this server itself, with recorded servers.
#pragma once

#include "config/environment.hpp"
#include "config/settings.hpp"
#include "faults/injector.hpp"
#include "messages/errors.hpp"
#include "messages/servers.hpp"
#include "messages/tool_call.hpp"
#include "recording/connections.hpp"

#include <asio/any_io_executor.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace cli {

/// What the settings want recorded and replayed. `line` writes, one thing after the other.
msg::outcome<recording::recordings> recordings_of(const config::settings& settings, asio::any_io_executor line);

/// Why these settings can not be followed; nothing is opened for writing.
msg::fault problem_of_recordings(const config::settings& settings);

/// Of all calls that programs want: those that do what an injected text says are noted. `to`: null: not in a recording.
std::function<void(const msg::tool_ref& tool, const msg::document& arguments)>
watcher_of(std::shared_ptr<faults::injector> faults, std::shared_ptr<recording::recorder> to);

/// The servers of a recording, where nothing else answers in their place.
msg::server_entries recorded_servers(const recording::recordings& from, const std::string& path);

/// As what is only replayed leaves no trace: no state folder.
config::settings without_traces(config::settings settings);

class recording_words {
public:
  /// Takes what follows `--` out of the words: it is a command, and none of its words is ours.
  recording_words(CLI::App& app, int& argc, char** argv);
  recording_words(const recording_words&) = delete; // the options write into it
  recording_words& operator=(const recording_words&) = delete;

  bool wanted() const;
  /// Becomes the command, or serves. The exit code.
  int run(const config::environment& environment, const config::settings& settings,
          const config::variable_lookup& variables) const;

private:
  int become_command(const config::recording_settings& with) const;

  CLI::App *record_, *replay_;
  std::string out_, file_, on_miss_ = "fail";
  bool keeps_pace_ = false;
  std::vector<std::string> words_; ///< of the command
};

} // namespace cli
