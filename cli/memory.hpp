// `code-executor memory`: what programs have kept, whose it is, sharing it and deleting it.
#pragma once

#include "cli/doctor.hpp"
#include "config/settings.hpp"

#include <string>

namespace CLI {
class App;
}

namespace cli {

/// Which of several of one name; empty: any.
struct memory_choice {
  std::string name;
  std::string client, project;
  bool is_tool = false;
  bool is_unclaimed = false;
  bool is_all = false; ///< whatever its name, values and tools
};

/// `memory list|show|share|unshare|delete`, as words of the command line.
class memory_words {
public:
  explicit memory_words(CLI::App& app);
  bool wanted() const;
  /// 0: done. 1: it can not be done. 2: nothing is meant by that name, or more than one.
  int run(const config::settings& settings) const;

private:
  CLI::App *command_, *list_, *show_, *share_, *unshare_, *delete_;
  memory_choice choice_;
  bool as_json_ = false;
};

} // namespace cli
