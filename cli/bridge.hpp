// `code-executor bridge`: one server as it is, behind stdin and stdout or HTTP, for clients of either era.
#pragma once

#include "actors/bridge/http_front.hpp"
#include "config/environment.hpp"
#include "config/settings.hpp"
#include "messages/servers.hpp"

#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace cli {

class bridge_words {
public:
  /// Takes what follows `--` out of the words: it is a command, and none of its words is ours.
  bridge_words(CLI::App& app, int& argc, char** argv);
  bridge_words(const bridge_words&) = delete; // the options write into it
  bridge_words& operator=(const bridge_words&) = delete;

  bool wanted() const;
  /// Ends with the client, a signal, or a server that a client can not go on without. The exit code.
  int run(const config::environment& environment, const config::settings& settings,
          const config::variable_lookup& variables) const;

private:
  /// Nothing: that was told, and the code is exit_wrong_use.
  std::optional<msg::server_entry> target(const config::environment& environment,
                                          const config::settings& settings) const;

  CLI::App* command_;
  CLI::Option* http_;
  std::string target_, address_, faults_;
  std::vector<std::string> variables_;
  std::vector<std::string> words_; ///< of a command
};

} // namespace cli
