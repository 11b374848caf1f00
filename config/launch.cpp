#include "config/launch.hpp"

#include "config/entry_secrets.hpp"
#include "config/entry_variables.hpp"
#include "config/env_file.hpp"
#include "config/shell_words.hpp"
#include "messages/limits.hpp"
#include "process/find_executable.hpp"
#include "text/utf8.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string_view>
#include <utility>

namespace config {

namespace fs = std::filesystem;
using msg::errc;
using msg::fault;
using msg::outcome;

namespace {

constexpr size_t shown_name_bytes_max = 100;

std::string full_path(const std::string& path, const environment& env) {
  return (path.starts_with("~/") ? fs::path{env.home} / path.substr(2) : fs::path{env.cwd} / path).string();
}

variable_map variables_of(const msg::server_entry& entry, const environment& env, const variable_lookup& variable,
                          expander& expanded) {
  variable_map out;
  for (auto name : inherited_variables)
    if (auto value = variable(name); !value.empty())
      out.emplace(name, value);
  for (auto& name : entry.env_names)
    if (auto value = variable(name); !value.empty())
      out[name] = value;
  if (!entry.env_file.empty()) {
    auto more = read_env_file(full_path(expanded(entry.env_file), env));
    if (!more.ok())
      expanded.fail(std::move(more.error));
    for (auto& [name, value] : more.value)
      out[name] = std::move(value);
  }
  for (auto& [name, value] : entry.env)
    out[name] = expanded(value);
  out[outer_variable] = "1";
  return out;
}

/// What Linux would not start, before anything is looked for in it.
fault too_long(const process::launch& what) {
  // There is a NUL at its end.
  auto is_long = [](const process::c_text& text) { return text.size() >= msg::limits::argument_bytes_max; };
  auto why =
    " is longer than " + std::to_string(msg::limits::argument_bytes_max >> 10) + " KiB; Linux takes no longer ones";
  if (auto it = std::find_if(what.environment.begin(), what.environment.end(), is_long); it != what.environment.end())
    return {errc::limit_exceeded,
            "the variable " + text::quoted(it->text().substr(0, it->text().find('=')), shown_name_bytes_max) + why};
  if (std::any_of(what.argv.begin(), what.argv.end(), is_long))
    return {errc::limit_exceeded, "one of its arguments" + why};
  return {};
}

/// A server that is a process may have them too: bridges to others read them.
variable_map fields_of(const msg::server_entry& entry, const variable_scope& scope) {
  variable_map out;
  expander expanded{scope}; // no server misses what is missing there
  for (auto& [name, text] : entry.headers)
    out.emplace(name, expanded(text));
  out.emplace("url", expanded(entry.url));
  return out;
}

fault not_found(const msg::server_entry& entry, const std::string& path) {
  bool is_searched = entry.command.find('/') == entry.command.npos;
  return {errc::server_start_failed, "command '" + entry.command + "' was not found"
                                       + (is_searched ? " in PATH (" + path + ")" : "") + "; check the entry in "
                                       + entry.source};
}

/// As far as it can be read.
variable_map variables_of_file(const msg::server_entry& entry, const environment& env, expander& expanded) {
  return entry.env_file.empty() ? variable_map{} : read_env_file(full_path(expanded(entry.env_file), env)).value;
}

/// The PATH that the entry's process would have. Reads no more than that takes: this is done for every entry at the
/// start.
std::string path_variable(const msg::server_entry& entry, const environment& env, expander& expanded) {
  for (auto it = entry.env.rbegin(); it != entry.env.rend(); ++it) // of two the later counts
    if (it->first == "PATH")
      return expanded(it->second);
  auto more = variables_of_file(entry, env, expanded);
  auto path = more.find("PATH");
  return path == more.end() ? env.path : path->second;
}

/// Of the process, as far as the entry itself says it.
std::string home_variable(const msg::server_entry& entry, const environment& env, expander& expanded) {
  for (auto it = entry.env.rbegin(); it != entry.env.rend(); ++it)
    if (it->first == "HOME")
      return expanded(it->second);
  return env.home;
}

/// What the entry sets in whatever way; nothing of what can not be told.
variable_map set_variables(const msg::server_entry& entry, const environment& env, const variable_scope& scope) {
  variable_map out;
  for (auto& name : entry.env_names)
    if (auto value = scope.variable(name); !value.empty())
      out[name] = std::move(value);
  expander expanded{scope};
  for (auto& [name, value] : variables_of_file(entry, env, expanded))
    out[name] = value;
  for (auto& [name, value] : entry.env)
    if (auto known = expand(value, scope); known.ok())
      out[name] = std::move(known.value);
    else
      out.erase(name);
  return out;
}

/// The words of which the value can not be told are unread_word.
command_line words_of(const msg::server_entry& entry, const environment& env, const variable_scope& scope) {
  auto told = [&](const std::string& text) {
    auto out = expand(text, scope);
    bool is_text = text.find(' ') != text.npos; // what is not known in one is looked at as the shell's
    return out.ok() ? std::move(out.value) : is_text ? text : std::string{unread_word};
  };
  expander expanded{scope};
  command_line line{
    {told(entry.command)}, path_variable(entry, env, expanded), "", home_variable(entry, env, expanded)};
  line.usual_path = env.path;
  line.variables = set_variables(entry, env, scope);
  if (auto home = line.variables.find("HOME"); home != line.variables.end())
    line.home = home->second;
  line.cwd = (fs::path{env.cwd} / expanded(entry.cwd)).string();
  if (expanded.problem().code != errc::none)
    return {};
  for (auto& argument : entry.args)
    line.words.push_back(told(argument));
  return line;
}

/// Of what is not the user's word no file that it names is read.
void forget_files(msg::server_entry& entry) {
  entry.env_file.clear();
  auto forget = [](std::string& text) {
    if (text.find("{file:") != text.npos)
      text.clear();
  };
  for (auto* text : {&entry.command, &entry.cwd})
    forget(*text);
  for (auto& argument : entry.args)
    forget(argument);
  for (auto& [name, value] : entry.env)
    forget(value);
}

} // namespace

program_places files_of(const msg::server_entry& written, const environment& env, const variable_lookup& variables,
                        file_look& look) {
  program_places places;
  auto& out = places.files;
  bool is_trusted = msg::is_trusted(written);
  auto entry = written;
  variable_lookup no_variables = [&](std::string_view name) { return name == "HOME" ? env.home : std::string{}; };
  auto& variable = is_trusted ? variables : no_variables;
  if (!is_trusted && !entry.env_file.empty())
    out.push_back(full_path(entry.env_file, env));
  auto scope = scope_of(entry, env, variable);
  auto look_into = [&](std::string_view text) {
    auto files = files_in(text, scope);
    out.insert(out.end(), files.begin(), files.end());
  };
  for (auto& text : {entry.command, entry.cwd, entry.env_file, entry.url})
    look_into(text);
  for (auto& text : entry.args)
    look_into(text);
  for (auto* fields : {&entry.env, &entry.headers})
    for (auto& [name, text] : *fields)
      look_into(text);
  if (!is_trusted)
    forget_files(entry);
  if (expander expanded{scope}; !entry.env_file.empty())
    if (auto path = full_path(expanded(entry.env_file), env); expanded.problem().code == errc::none)
      out.push_back(fs::path{path}.lexically_normal().string());
  if (auto line = words_of(entry, env, scope); !line.words.empty() && !entry.command.empty()) {
    auto found = program_files(std::move(line), look);
    out.insert(out.end(), std::make_move_iterator(found.files.begin()), std::make_move_iterator(found.files.end()));
    places.closed = std::move(found.closed);
  }
  return places;
}

std::vector<std::string> files_of(const msg::server_entry& entry, const environment& env,
                                  const variable_lookup& variable) {
  file_look look;
  auto places = files_of(entry, env, variable, look);
  for (auto& folder : places.closed)
    places.files.push_back(std::move(folder.path));
  return std::move(places.files);
}

bool start_detector::names_it(const std::string& command, const std::string& path, const std::string& cwd) {
  auto key = std::make_tuple(command, command.find('/') == command.npos ? path : std::string{}, cwd);
  if (auto known = known_.find(key); known != known_.end())
    return known->second;
  auto found = process::find_executable(command, std::get<1>(key), cwd);
  std::error_code ec;
  bool is_it = !found.empty() && fs::equivalent(found, own_.executable, ec);
  known_.emplace(std::move(key), is_it);
  return is_it;
}

bool start_detector::leads_to_it(command_line line) {
  for (int i = 0; i < wrappers_max; ++i) {
    if (runs_own_package(line))
      return true;
    auto inner = inner_command(line);
    if (!inner)
      return false;
    line = std::move(*inner);
    if (names_it(line.words[0], line.path, line.cwd))
      return true;
  }
  return false;
}

variable_lookup start_detector::variables() const {
  return
    [this, real = process_environment()](std::string_view name) { return name == "PATH" ? env_.path : real(name); };
}

bool start_detector::leads_to_its_address(const msg::server_entry& entry) {
  if (entry.url.empty() || own_.endpoint.port == 0)
    return false;
  auto variable = variables();
  auto scope = scope_of(entry, env_, variable);
  expander expanded{scope};
  auto url = expanded(entry.url);
  return expanded.problem().code == errc::none && own_.endpoint.is_at(url);
}

bool start_detector::starts(const msg::server_entry& entry) {
  if (entry.command.empty())
    return leads_to_its_address(entry);
  auto variable = variables();
  auto scope = scope_of(entry, env_, variable);
  expander expanded{scope};
  auto command = expanded(entry.command);
  bool is_wrapper = may_wrap(command);
  auto path = is_wrapper || command.find('/') == command.npos ? path_variable(entry, env_, expanded) : std::string{};
  auto cwd = (fs::path{env_.cwd} / expanded(entry.cwd)).string();
  if (expanded.problem().code != errc::none)
    return false; // nor does it start anything else
  if (names_it(command, path, cwd))
    return true;
  if (!is_wrapper)
    return false;
  command_line line{{std::move(command)}, std::move(path), std::move(cwd), home_variable(entry, env_, expanded)};
  for (auto& argument : entry.args)
    line.words.push_back(expanded(argument));
  return expanded.problem().code == errc::none && leads_to_it(std::move(line));
}

bool start_detector::starts_as_written(msg::server_entry entry) {
  entry.syntax = msg::variable_syntax::none;
  entry.env_file.clear();
  return starts(entry);
}

outcome<process::launch> make_launch(const msg::server_entry& entry, const environment& env,
                                     const variable_lookup& variable) {
  if (auto why = msg::refusal_to_start(entry); why.code != errc::none) // before anything is expanded
    return why;
  variable_map looked_up;
  auto noted = noting(variable, looked_up);
  auto scope = scope_of(entry, env, noted);
  expander expanded{scope};
  auto known = variables_of(entry, env, variable, expanded);
  auto command = expanded(entry.command);
  process::launch out;
  out.cwd = expanded(entry.cwd);
  out.argv.emplace_back();
  for (auto& a : entry.args)
    out.argv.push_back(expanded(a));
  if (auto problem = expanded.problem(); problem.code != errc::none)
    return fault{problem.code, problem.message + "; check the entry in " + entry.source}.at(entry.name);
  auto path = known.contains("PATH") ? known["PATH"] : std::string{};
  out.argv.front() = process::find_executable(command, path, (fs::path{env.cwd} / out.cwd.text()).string());
  if (out.argv.front().empty())
    return not_found(entry, path).at(entry.name);
  for (auto& [name, value] : known)
    out.environment.push_back(std::string{name}.append("=").append(value));
  if (auto problem = too_long(out); problem.code != errc::none)
    return fault{problem.code, problem.message + "; check the entry in " + entry.source}.at(entry.name);
  auto fields = fields_of(entry, scope);
  out.secrets = secrets_of({&known, &looked_up, &fields}, out.argv);
  if (auto problem = process::check(out); problem.code != errc::none)
    return fault{errc::server_start_failed, problem.message + "; check the entry in " + entry.source}.at(entry.name);
  return out;
}

} // namespace config
