// The words of the command line as data: what `--help` shows, for whoever else has to know them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace CLI {
class App;
} // namespace CLI

namespace cli {

/// What stands for a value.
enum class value_kind : uint8_t {
  none, ///< it is a flag
  text,
  file,
  folder,
  server,
  tool,     ///< of the server before it
  argument, ///< `name=value` for the tool before it
};

struct option_words {
  std::vector<std::string> spellings; ///< `-n`, `--lines`; of a positional its name
  std::string about;
  value_kind value = value_kind::none;
  std::string value_name;           ///< as `--help` has it: `FILE`; empty: none
  std::vector<std::string> choices; ///< those that there are; empty: any
  bool may_lack_value = false;
  bool is_required = false;
  bool may_repeat = false; ///< of a positional: all that follow are of it
};

struct verb_words {
  std::string name;
  std::string about;
  std::string example; ///< what `--help` ends with
  std::vector<option_words> options, positionals;
  std::vector<verb_words> verbs;
};

/// What is hidden in `--help` is left out.
verb_words words_of(const CLI::App& app);

} // namespace cli
