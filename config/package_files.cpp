#include "config/package_files.hpp"

#include "config/file_text.hpp"
#include "config/yaml_text.hpp"
#include "process/inside.hpp"
#include "text/json_parse.hpp"

#include <algorithm>
#include <boost/json/value.hpp>
#include <system_error>

namespace config {

namespace fs = std::filesystem;

namespace {

constexpr const char *modules_folder = "node_modules", *package_file = "package.json", *pnpm_file = "pnpm-workspace.yaml";
/// Where a pattern of workspaces has a `**`: deeper ones than that are not looked for.
constexpr size_t workspace_depth_max = 3;

/// `name@1.2`, `@scope/name@latest`: without the version. Empty: nothing in `node_modules` is called so.
std::string_view package_name(std::string_view word) {
  auto name = word.substr(0, word.find('@', 1));
  auto slash = name.find('/');
  bool has_scope = name.starts_with('@');
  bool is_name = !name.empty() && std::string_view{".-/"}.find(name.front()) == name.npos && name.find('\0') == name.npos;
  bool is_path = has_scope ? slash == name.npos || name.find("/.") != name.npos || name.find('/', slash + 1) != name.npos : slash != name.npos;
  return is_name && !is_path ? name : std::string_view{};
}

/// Null: there is none, it is too large, or no JSON. `bytes_left` of all files together.
boost::json::value read_package(const fs::path& folder, size_t& bytes_left) {
  auto file = read_file_text((folder / package_file).string(), std::min(bytes_left, package_bytes_max));
  bytes_left -= std::min<size_t>(bytes_left, file.read_bytes);
  boost::json::value package;
  if (file.text.empty() || !text::parse_json(file.text, text::json_dialect::edited, package).what.empty())
    return nullptr;
  return package;
}

/// Null: it is no object, or has none.
const boost::json::value* member(const boost::json::value& of, std::string_view name) {
  return of.is_object() ? of.get_object().if_contains(name) : nullptr;
}

/// Empty: it is not there.
fs::path real_path(const fs::path& path) {
  std::error_code ec;
  auto real = fs::canonical(path, ec);
  return ec ? fs::path{} : real;
}

void add_program(std::vector<fs::path>& to, const fs::path& folder, const boost::json::value& named) {
  auto* text = named.if_string();
  if (text && !text->empty() && text->find('\0') == text->npos && to.size() < package_programs_max)
    to.push_back((folder / fs::path{std::string_view{*text}}.relative_path()).lexically_normal());
}

void add_if_file(std::vector<fs::path>& to, const fs::path& path) {
  std::error_code ec;
  if (fs::is_regular_file(path, ec) && std::find(to.begin(), to.end(), path) == to.end())
    to.push_back(path);
}

/// `package.json` of what `program` belongs to: the first one above.
void add_package_of(std::vector<fs::path>& to, const fs::path& program) {
  for (auto folder = program.parent_path(); folder.has_relative_path(); folder = folder.parent_path())
    if (std::error_code ec; fs::exists(folder / package_file, ec))
      return add_if_file(to, folder / package_file);
}

/// Finds a workspace by the name in its `package.json`.
class workspace_finder {
public:
  workspace_finder(const fs::path& root, std::string_view name) : root_(root), name_(name) {}

  std::vector<fs::path> find() && {
    auto package = read_package(root_, bytes_left_);
    if (auto* named = member(package, "workspaces")) {
      look_at(*named);
      if (auto* more = member(*named, "packages"))
        look_at(*more);
    }
    auto pnpm = read_file_text((root_ / pnpm_file).string(), package_bytes_max);
    boost::json::value listed;
    json_positions positions;
    if (!pnpm.text.empty() && parse_yaml(pnpm.text, listed, positions).what.empty())
      if (auto* more = member(listed, "packages"))
        look_at(*more);
    return std::move(found_);
  }

private:
  void look_at(const boost::json::value& patterns) {
    if (patterns.is_array())
      for (auto& pattern : patterns.get_array())
        if (auto* text = pattern.if_string(); text && text->find('\0') == text->npos)
          look_for(fs::path{std::string_view{*text}}.relative_path());
  }

  /// The folder in front of the first part with a special character, and all in it as deep as the pattern goes: more than it matches.
  void look_for(const fs::path& pattern) {
    auto folder = root_;
    size_t depth = 0;
    for (auto& part : pattern)
      if (bool is_literal = part.string().find_first_of("*?[{(!") == std::string::npos; depth == 0 && is_literal && !part.empty())
        folder /= part;
      else if (!part.empty()) // as it is behind the last slash
        depth += part == "**" ? workspace_depth_max : 1;
    look_into(folder.lexically_normal(), std::min(depth, workspace_depth_max));
  }

  void look_into(const fs::path& folder, size_t depth) {
    if (folders_left_ == 0 || folder.filename() == modules_folder)
      return;
    --folders_left_;
    auto package = read_package(folder, bytes_left_);
    auto* name = member(package, "name");
    if (name && name->is_string() && std::string_view{name->get_string()} == name_)
      found_.push_back(folder);
    std::error_code ec;
    for (fs::directory_iterator at{folder, ec}, end; depth > 0 && !ec && at != end && folders_left_ > 0; at.increment(ec))
      if (std::error_code is_none; fs::is_directory(at->path(), is_none))
        look_into(at->path(), depth - 1);
  }

  fs::path root_;
  std::string_view name_;
  size_t bytes_left_ = workspace_bytes_max, folders_left_ = workspace_folders_max;
  std::vector<fs::path> found_;
};

} // namespace

std::vector<fs::path> programs_of_package(const fs::path& folder) {
  std::vector<fs::path> programs;
  auto bytes_left = package_bytes_max;
  auto package = read_package(folder, bytes_left);
  auto* bin = member(package, "bin");
  if (bin)
    add_program(programs, folder, *bin);
  if (bin && bin->is_object())
    for (auto& [name, program] : bin->get_object())
      add_program(programs, folder, program);
  if (auto* folders = member(package, "directories"))
    if (auto* tools = member(*folders, "bin"))
      add_program(programs, folder, *tools);
  return programs;
}

fs::path folder_of_package(const fs::path& folder, std::string_view word) {
  auto name = package_name(word);
  auto real = name.empty() ? fs::path{} : real_path(folder / modules_folder / name);
  std::error_code ec;
  return fs::is_directory(real, ec) ? real : fs::path{};
}

std::vector<fs::path> workspaces_called(const fs::path& root, std::string_view name) { return workspace_finder{root, name}.find(); }

std::vector<fs::path> files_behind_modules(const fs::path& folder, std::string_view word) {
  std::vector<fs::path> files;
  auto modules = folder / modules_folder, real_modules = real_path(modules);
  auto name = package_name(word);
  if (real_modules.empty() || name.empty())
    return files;
  if (auto real = real_path(modules / ".bin" / name); !real.empty() && !process::inside(real, real_modules)) {
    add_if_file(files, modules / ".bin" / name);
    add_package_of(files, real);
  }
  auto package = folder_of_package(folder, name);
  if (package.empty() || process::inside(package, real_modules))
    return files;
  add_if_file(files, modules / name / package_file);
  for (auto& program : programs_of_package(modules / name))
    add_if_file(files, program);
  return files;
}

} // namespace config
