// `code-executor completion bash|zsh|fish`, the man page, and what the shells' scripts ask.
#pragma once

#include "config/environment.hpp"

#include <string>
#include <vector>

namespace CLI {
class App;
} // namespace CLI

namespace cli {

/// Hidden are `complete`, which the scripts of `completion` call with what was typed, and `manual`, which prints the
/// man page in roff, or a page of docs/reference. The words of all other verbs are taken when one of these runs.
class shell_words {
public:
  explicit shell_words(CLI::App& app);
  shell_words(const shell_words&) = delete; // the options write into it
  shell_words& operator=(const shell_words&) = delete;

  bool wanted() const;
  /// Settings that are wrong are no reason to fail: then no names of servers and tools are offered.
  int run(const config::environment& environment, const config::variable_lookup& variables) const;

private:
  CLI::App &app_, *completion_, *complete_, *manual_;
  std::string shell_, form_, page_;
  std::vector<std::string> typed_;
};

} // namespace cli
