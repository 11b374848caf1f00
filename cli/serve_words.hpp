// The words of `code-executor serve`.
#pragma once

#include "config/environment.hpp"
#include "config/settings.hpp"

#include <string>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace cli {

class serve_words {
public:
  explicit serve_words(CLI::App& app);
  serve_words(const serve_words&) = delete; // the options write into it
  serve_words& operator=(const serve_words&) = delete;

  /// See serve().
  int run(const config::environment& environment, const config::settings& settings,
          const config::variable_lookup& variables) const;

private:
  CLI::Option* http_;
  std::string address_, faults_;
};

} // namespace cli
