#include "config/launch.hpp"

#include "config/env_file.hpp"
#include "config/named_secrets.hpp"
#include "config/secrets.hpp"
#include "config/shell_words.hpp"
#include "config/variables.hpp"
#include "messages/limits.hpp"
#include "process/find_executable.hpp"
#include "text/utf8.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>

namespace config {

namespace fs = std::filesystem;
using msg::errc;
using msg::fault;
using msg::outcome;

namespace {

/// What every program may expect; the list of the MCP SDKs, with the two that locale and temporary files need.
constexpr std::array<std::string_view, 8> inherited{"HOME",  "LANG", "LOGNAME", "PATH",
                                                    "SHELL", "TERM", "TMPDIR",  "USER"};

/// Of one entry: all that Linux takes of arguments and variables. What is more are parts of others and ends that values
/// may have.
constexpr size_t secrets_bytes_max = 2u << 20;
constexpr size_t shown_name_bytes_max = 100;

variable_scope scope_of(const msg::server_entry& entry, const environment& env, const variable_lookup& variable) {
  return {entry.syntax, variable, env.home, entry.workspace.empty() ? env.cwd : entry.workspace,
          fs::path{entry.source}.parent_path().string()};
}

/// Keeps the first fault.
class expander {
public:
  explicit expander(const variable_scope& scope) : scope_(scope) {}

  std::string operator()(std::string_view text) {
    auto out = expand(text, scope_);
    if (!out.ok() && problem_.code == errc::none)
      problem_ = std::move(out.error);
    return std::move(out.value);
  }
  void fail(fault why) { problem_ = problem_.code == errc::none ? std::move(why) : std::move(problem_); }
  const fault& problem() const { return problem_; }

private:
  const variable_scope& scope_;
  fault problem_;
};

using variable_map = std::map<std::string, std::string>;

std::string full_path(const std::string& path, const environment& env) {
  return (path.starts_with("~/") ? fs::path{env.home} / path.substr(2) : fs::path{env.cwd} / path).string();
}

variable_map variables_of(const msg::server_entry& entry, const environment& env, const variable_lookup& variable,
                          expander& expanded) {
  variable_map out;
  for (auto name : inherited)
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

/// Each once, with what of it may be told alone, up to secrets_bytes_max.
class secret_list {
public:
  void add(std::string_view secret) {
    if (secret.empty() || secret.size() > bytes_left_ || !wholes_.emplace(secret).second)
      return;
    for (auto& part : parts_of_secret(secret))
      if (part.size() <= bytes_left_ && known_.insert(part).second) {
        bytes_left_ -= part.size();
        out.push_back(std::move(part));
      }
  }
  /// What a text tells by itself: it looks like a secret, or names some.
  void add_those_in(std::string_view text) {
    if (looks_secret(text))
      add(text);
    for (auto& value : named_secrets(text))
      add(value);
  }

  std::vector<std::string> out;

private:
  std::set<std::string, std::less<>> wholes_;
  std::set<std::string> known_;
  size_t bytes_left_ = secrets_bytes_max;
};

/// Among the arguments: what tells of itself that it is one, and values of options that are called so.
void add_arguments(const process::c_texts& arguments, secret_list& to) {
  std::string option; // the argument before, if its value comes next
  for (size_t i = 1; i < arguments.size(); ++i) {
    auto& text = arguments[i].text();
    auto equals = text.find('=');
    auto name = text.starts_with('-') ? text.substr(0, equals) : std::string{};
    if (!text.starts_with("--") && is_secret_variable(option, text))
      to.add(text);
    if (equals != text.npos && is_secret_variable(name, text.substr(equals + 1)))
      to.add(text.substr(equals + 1));
    bool has_value = text.starts_with('-') && equals != text.npos;
    to.add(has_value ? password_of_user(name, std::string_view{text}.substr(equals + 1))
                     : password_of_user(option, text));
    to.add_those_in(text);
    option = equals == text.npos ? name : std::string{};
  }
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

/// What no client or log is told of an entry that is being made a process: variables of its own, those that its texts
/// have been given, its other fields, and arguments.
std::vector<std::string> secrets_of(const std::vector<const variable_map*>& named, const process::c_texts& arguments) {
  secret_list found;
  add_arguments(arguments, found);
  for (auto* all : named)
    for (auto& [name, value] : *all) {
      if (std::find(inherited.begin(), inherited.end(), name) != inherited.end())
        continue;
      if (is_secret_variable(name, value))
        found.add(value);
      found.add_those_in(value);
    }
  return std::move(found.out);
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
  bool is_it = !found.empty() && fs::equivalent(found, executable_, ec);
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

bool start_detector::starts(const msg::server_entry& entry) {
  if (entry.command.empty())
    return false;
  variable_lookup variable = [this, real = process_environment()](std::string_view name) {
    return name == "PATH" ? env_.path : real(name);
  };
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
  variable_lookup noted = [&](std::string_view name) {
    auto value = variable(name);
    looked_up.insert_or_assign(std::string{name}, value);
    return value;
  };
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
