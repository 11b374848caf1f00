#include "cli/probe.hpp"

#include "catalog/pinning/entries.hpp"
#include "config/clients.hpp"
#include "process/find_executable.hpp"
#include "process/inside.hpp"
#include "sandbox/launch/kept.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>

namespace cli {

namespace {

void apply_limits(const config::sandbox_settings& from, msg::outcome<sandbox::box>& to) {
  to.value.processes = from.processes;
  to.value.temp_bytes = from.temp_bytes;
}

config::approval approval_of(tool_pinning::standing standing) {
  switch (standing) {
    case tool_pinning::standing::unknown: return config::approval::none;
    case tool_pinning::standing::approved: return config::approval::given;
    case tool_pinning::standing::changed: return config::approval::outdated;
  }
  return config::approval::none;
}

/// It stood there as it is now, and the user had not said no.
bool was_there(const config::server_list& at_start, const msg::server_entry& entry) {
  auto is_it = [&](auto& old) {
    return msg::is_trusted(old) && old.source == entry.source
           && tool_pinning::digest_of_entry(old) == tool_pinning::digest_of_entry(entry);
  };
  auto is_among = [&](auto& in_order_of_name) {
    auto by_name = [](auto& a, auto& b) { return a.name < b.name; };
    auto [begin, end] = std::equal_range(in_order_of_name.begin(), in_order_of_name.end(), entry, by_name);
    return std::any_of(begin, end, is_it);
  };
  return is_among(at_start.entries) || is_among(at_start.hidden);
}

/// It, or a link on the way there: a program that can write the folder can lead it elsewhere.
bool is_in_one_of(const std::vector<std::string>& folders, const std::string& path) {
  auto names = sandbox::all_names_of(path);
  return std::any_of(folders.begin(), folders.end(), [&](auto& given) {
    std::error_code ec;
    auto folder = std::filesystem::weakly_canonical(given, ec);
    return std::any_of(names.begin(), names.end(), [&](auto& name) { return process::inside(name, folder); });
  });
}

/// The mount that keeps such a file as it is does not outlive a rename from outside. So neither an entry that has come
/// meanwhile is the user's word, in whose file it may stand, nor what a client says of an entry of the project.
class late_entries {
public:
  late_entries(const config::environment& env, const start_of_serving& start) : env_(env), start_(start) {}

  bool may_be_of_a_program(const msg::server_entry& entry) {
    if (was_there(start_.servers, entry))
      return false;
    auto lists = config::verdict_lists();
    auto says_so = [&](auto& list) {
      return list.client == entry.client && is_writable(config::path_of(env_, list.root, list.path, list.moved_by));
    };
    return is_writable(entry.source) || (!entry.workspace.empty() && std::any_of(lists.begin(), lists.end(), says_so));
  }

private:
  /// A file is looked for once, however many entries it has.
  bool is_writable(const std::string& path) {
    auto known = writable_.find(path);
    if (known == writable_.end())
      known = writable_.emplace(path, is_in_one_of(start_.writable, path)).first;
    return known->second;
  }

  const config::environment& env_;
  const start_of_serving& start_;
  std::map<std::string, bool> writable_;
};

} // namespace

config::server_list find_servers(const config::environment& env, const std::string& state_folder,
                                 const start_of_serving* start, const config::server_list& before,
                                 const config::own_endpoint& own) {
  auto approved = tool_pinning::approved_entries::read(state_folder);
  auto late = start ? std::make_optional<late_entries>(env, *start) : std::nullopt;
  auto lookup = [&](auto& entry) {
    auto said = approval_of(approved.of(entry));
    bool may_be_late =
      said == config::approval::none || (said == config::approval::outdated && entry.workspace.empty());
    return may_be_late && late && late->may_be_of_a_program(entry) ? config::approval::late : said;
  };
  auto found = config::load_servers(env, {process::own_executable(), own}, lookup, before);
  if (!approved.problem().empty())
    found.problems.push_back(approved.problem());
  return found;
}

sandbox::runtimes find_runtimes(const config::environment& env, const config::settings& settings,
                                const std::string& own_executable) {
  auto folder = std::filesystem::path{own_executable}.parent_path().string();
  auto& python = settings.python;
  auto found = sandbox::find_runtimes({settings.typescript.deno, python.python, env.path, env.home, folder, python.venv,
                                       python.version, settings.sandbox.memory_bytes});
  if (!settings.typescript.enabled)
    found.typescript = msg::fault{msg::errc::runtime_missing, "it is switched off (executors.typescript.enabled)"};
  if (settings.python.runtime == config::python_runtime::pyodide) {
    found.python = found.pyodide;
    found.python_is_pyodide = true;
  }
  if (!settings.python.enabled)
    found.python =
      msg::fault{msg::errc::runtime_missing, "it is switched off (executors.python.enabled, PYTHON_ENABLED)"};
  apply_limits(settings.sandbox, found.typescript);
  apply_limits(settings.sandbox, found.python);
  apply_limits(settings.sandbox, found.pyodide);
  return found;
}

bool may_be_written(const config::settings& settings, const msg::server_entry& entry) {
  return is_in_one_of(settings.security.allow_write, entry.source);
}

bool may_be_pyodide(const config::python_settings& python) {
  return python.runtime == config::python_runtime::automatic && python.enabled && python.venv.empty()
         && python.version.empty();
}

std::string problem_of(const sandbox::runtimes& found, msg::language l) {
  return !found.tools.ok() ? found.tools.error.message : found.of(l).error.message;
}

msg::isolation_report report_isolation(const sandbox::runtimes& found, const sandbox::cgroup_place& place) {
  return sandbox::report_isolation(found.tools.value.isolated, place,
                                   found.typescript.ok() ? found.typescript.value : found.python.value);
}

std::string joined(const std::vector<std::string>& texts) {
  std::string out;
  for (auto& text : texts)
    out += (out.empty() ? "" : ", ") + text;
  return out;
}

} // namespace cli
