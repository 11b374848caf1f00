#include "config/package_files.hpp"

#include "config/file_text.hpp"
#include "process/inside.hpp"
#include "text/json_parse.hpp"

#include <algorithm>
#include <boost/json/value.hpp>
#include <system_error>

namespace config {

namespace fs = std::filesystem;

namespace {

constexpr const char *modules_folder = "node_modules", *package_file = "package.json";

/// `name@1.2`, `@scope/name@latest`: without the version. Empty: nothing in `node_modules` is called so.
std::string_view package_name(std::string_view word) {
  auto name = word.substr(0, word.find('@', 1));
  auto slash = name.find('/');
  bool has_scope = name.starts_with('@');
  bool is_name = !name.empty() && std::string_view{".-/"}.find(name.front()) == name.npos && name.find('\0') == name.npos;
  bool is_path = has_scope ? slash == name.npos || name.find("/.") != name.npos || name.find('/', slash + 1) != name.npos : slash != name.npos;
  return is_name && !is_path ? name : std::string_view{};
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

} // namespace

std::vector<fs::path> programs_of_package(const fs::path& folder) {
  std::vector<fs::path> programs;
  auto file = read_file_text((folder / package_file).string(), package_bytes_max);
  boost::json::value package;
  if (file.text.empty() || !text::parse_json(file.text, text::json_dialect::edited, package).what.empty() || !package.is_object())
    return programs;
  auto* bin = package.get_object().if_contains("bin");
  if (bin)
    add_program(programs, folder, *bin);
  if (bin && bin->is_object())
    for (auto& [name, program] : bin->get_object())
      add_program(programs, folder, program);
  auto* folders = package.get_object().if_contains("directories");
  if (folders && folders->is_object())
    if (auto* programs_folder = folders->get_object().if_contains("bin"))
      add_program(programs, folder, *programs_folder);
  return programs;
}

fs::path folder_of_package(const fs::path& folder, std::string_view word) {
  auto name = package_name(word);
  auto real = name.empty() ? fs::path{} : real_path(folder / modules_folder / name);
  std::error_code ec;
  return fs::is_directory(real, ec) ? real : fs::path{};
}

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
