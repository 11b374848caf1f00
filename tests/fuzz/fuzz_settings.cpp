// Any settings file is either taken or refused with a place; what is taken can be shown.
#include "config/json_file.hpp"
#include "config/settings.hpp"
#include "config/settings_schema.hpp"
#include "testing/fuzz.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace {

/// One file for all inputs.
const std::string& folder() {
  static const std::string made = [] {
    char name[] = "/tmp/fuzz-settings-XXXXXX";
    fuzz::require(::mkdtemp(name) != nullptr, "no folder");
    return std::string{name};
  }();
  return made;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto rest = fuzz::text_of(data, size);
  std::string of_variables{fuzz::piece(rest, '\n')};
  auto file = folder() + "/.code-executor.json";
  std::ofstream{file, std::ios::binary} << rest;
  auto variable = [&](std::string_view name) {
    return name.starts_with("CODE_EXECUTOR_CONFIG") ? std::string{} : of_variables;
  };
  config::environment env;
  env.cwd = env.home = folder();
  auto reading = config::read_settings(env, variable);
  fuzz::require(reading.values.file == file, "the file was not found");
  for (auto& p : reading.problems)
    fuzz::require(p.code != msg::errc::none && !p.message.empty(), "a problem without words");
  for (auto& e : reading.entries)
    fuzz::require(!e.path.empty() || !e.variable.empty(), "a setting without a name");
  auto loaded = config::load_settings(env, variable);
  fuzz::require(loaded.ok() == reading.problems.empty(), "two readings differ");
  return 0;
}
