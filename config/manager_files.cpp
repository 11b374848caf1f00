#include "config/manager_files.hpp"

#include "config/command_words.hpp"
#include "config/known_programs.hpp"
#include "config/package_files.hpp"
#include "process/inside.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <system_error>
#include <utility>

namespace config {

namespace fs = std::filesystem;
using process::path_kind;

namespace {

enum class absent_files : uint8_t { held, left_out };

class manager_reader {
public:
  manager_reader(manager_start of, file_look& look) : of_(std::move(of)), look_(look) {}

  manager_places read() && {
    if (of_.what.is_package)
      add_packages();
    if (of_.what.is_node || of_.what.is_package)
      add_modules();
    if (of_.what.is_python)
      add_python_projects();
    add_tasks();
    if (of_.what.is_conda)
      for (auto& folder : of_.told)
        for (auto* name : conda_folders)
          add_if_folder(folder / name);
    out_.starts = std::move(of_.starts);
    return std::move(out_);
  }

private:
  bool is_kind(const fs::path& path, path_kind kind) { return look_.kind_of(path.string()) == kind; }
  void add(const fs::path& path) { out_.places.push_back({path, false}); }
  void add_file(const fs::path& path) { out_.places.push_back({path, true}); }
  void add_if_folder(const fs::path& path) {
    if (is_kind(path, path_kind::folder))
      add(path);
  }

  static void for_each_above(fs::path folder, const auto& work) {
    for (; folder.has_relative_path(); folder = folder.parent_path())
      if (folder.has_filename()) // else it is behind the last slash
        work(folder);
  }

  /// Those of a project have most of what is above them in common.
  static std::set<fs::path> with_above(const std::vector<fs::path>& folders) {
    std::set<fs::path> all;
    for (auto& folder : folders)
      for_each_above(folder, [&](auto& at) { all.insert(at); });
    return all;
  }

  void for_all(const auto& work) const {
    auto all = with_above(of_.starts);
    all.merge(with_above(of_.told));
    for (auto& folder : all)
      work(folder);
  }

  void add_packages() {
    add_workspaces();
    auto starts = with_above(of_.starts);
    for (auto& at : starts) {
      add_package(at, absent_files::held);
      for (auto& word : of_.words)
        for (auto& file : files_behind_modules(at, word, look_))
          add(file);
    }
    for (auto& at : with_above(of_.told))
      if (!starts.contains(at))
        add_package(at, absent_files::left_out);
  }

  /// `uv run NAME`
  void add_python_projects() {
    for_all([this](auto& at) {
      for (auto* name : python_files)
        add_file(at / name);
      add_if_folder(at / ".venv");
    });
  }

  void add_tasks() {
    for_all([this](auto& at) {
      for (auto files : of_.what.task_files_read)
        for_each_of(files, [&](auto file) { add_file(at / file); });
    });
    for (auto* folders : {&of_.starts, &of_.told})
      for (auto folder = folders->begin(); of_.what.is_go && folder != folders->end(); ++folder)
        add_go_files(*folder);
  }

  /// `go run ./c` runs all that lies in there.
  void add_go_files(const fs::path& folder) {
    std::error_code ec;
    size_t left = names_looked_at_max;
    for (fs::directory_iterator at{look_.end_of(folder.string()).real, ec}, end; !ec && at != end; at.increment(ec)) {
      out_.is_cut = out_.is_cut || left == 0;
      if (left-- == 0)
        return;
      if (at->path().extension() == ".go")
        add_file(folder / at->path().filename());
    }
  }

  /// `node -r my-mcp/cli.js`: of what words name where it may be looked for.
  void add_modules() {
    for (auto& at : with_above(of_.starts))
      if (is_kind(at / "node_modules", path_kind::folder))
        for (auto& word : of_.words)
          for (auto& file : modules_called(at, word, look_))
            add(file);
  }

  /// A name, or a folder as seen from where the package manager is started, or in which workspaces lie.
  void add_workspaces() {
    auto starts = of_.starts;
    for (auto& name : of_.workspaces)
      for (auto& folder : starts) {
        auto path = seen_from(folder, name, of_.home);
        bool is_folder = is_kind(path, path_kind::folder);
        if (is_folder)
          add_start(path);
        for_each_above(folder, [&](auto& at) {
          if (auto package = folder_of_package(at, name, look_); !package.empty())
            add_start(package);
          for (auto& workspace : workspaces_called(at, name, look_))
            add_start(workspace);
          if (is_folder && is_kind(path / "package.json", path_kind::nothing))
            add_all_workspaces(at, (path / "").lexically_normal().parent_path());
        });
      }
    if (of_.what.is_each_workspace || (of_.what.is_pnpm && of_.what.is_each_of_pnpm))
      for (auto& folder : starts)
        for_each_above(folder, [this](auto& at) { add_all_workspaces(at, at); });
  }

  void add_start(const fs::path& folder) {
    auto ways = ways_to(folder, look_);
    if (ways.size() > 1)
      ways.emplace_back(look_.end_of(folder.string()).real);
    for (auto& way : ways)
      if (std::find(of_.starts.begin(), of_.starts.end(), way) == of_.starts.end()) {
        out_.is_cut = out_.is_cut || of_.starts.size() >= folders_read_max;
        if (of_.starts.size() < folders_read_max)
          of_.starts.push_back(way);
      }
  }

  void add_all_workspaces(const fs::path& root, const fs::path& inside) {
    for (auto& workspace : workspaces_called(root, "", look_))
      if (process::inside(workspace, inside) && workspaces_left_ > 0) {
        --workspaces_left_;
        add_package(workspace, absent_files::held);
      }
  }

  void add_package(const fs::path& folder, absent_files when_absent) {
    auto modules = folder / "node_modules";
    if (when_absent == absent_files::held) {
      add(folder / "package.json");
      add(folder / ".npmrc");
      add(is_kind(modules, path_kind::folder) ? modules : modules / ".bin");
    } else {
      add_file(folder / "package.json");
      add_file(folder / ".npmrc");
      add_if_folder(modules);
    }
    for (auto* name : manager_files)
      add_file(folder / name);
    for (auto& program : programs_of_yarn(folder, look_))
      add_file(program);
    add_programs_of(folder, look_, out_.places); // `npx NAME` runs those of the package that it is started in
  }

  manager_start of_;
  file_look& look_;
  size_t workspaces_left_ = workspaces_kept_max;
  manager_places out_;
};

} // namespace

void known_managers::note(std::string_view program) {
  is_package = is_package || is_among(program, package_managers);
  is_pnpm = is_pnpm || program.starts_with("pnpm"); // `pnpm@9`, `pnpm.cjs`
  is_node = is_node || is_among(program, node_programs);
  is_python = is_python || is_among(program, python_managers);
  is_conda = is_conda || is_among(program, conda_programs);
  is_go = is_go || program == "go";
  auto name = program.substr(0, program.find('@', 1)); // `dotenv-cli@7`
  for (auto& [runners, files] : task_files)
    if (is_listed(name, runners) && !is_among(files, task_files_read))
      task_files_read.push_back(files);
}

void add_programs_of(const fs::path& folder, file_look& look, std::vector<manager_place>& to) {
  for (auto& program : programs_of_package(folder, look)) {
    to.push_back({program, true});
    if (program != folder && look.kind_of(program.string()) == path_kind::folder)
      to.push_back({program, false});
  }
}

manager_places files_for_managers(manager_start of, file_look& look) {
  return manager_reader{std::move(of), look}.read();
}

} // namespace config
