#include "config/entry_variables.hpp"

#include <filesystem>
#include <utility>

namespace config {

variable_scope scope_of(const msg::server_entry& entry, const environment& env, const variable_lookup& variable) {
  return {entry.syntax, variable, env.home, entry.workspace.empty() ? env.cwd : entry.workspace,
          std::filesystem::path{entry.source}.parent_path().string()};
}

variable_lookup noting(const variable_lookup& variable, variable_map& found) {
  return [&](std::string_view name) {
    auto value = variable(name);
    found.insert_or_assign(std::string{name}, value);
    return value;
  };
}

std::string expander::operator()(std::string_view text) {
  auto out = expand(text, scope_);
  if (!out.ok())
    fail(std::move(out.error));
  return std::move(out.value);
}

void expander::fail(msg::fault why) {
  if (problem_.code == msg::errc::none)
    problem_ = std::move(why);
}

} // namespace config
