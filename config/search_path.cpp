#include "config/search_path.hpp"

#include "config/command_words.hpp"
#include "config/known_programs.hpp"

#include <cstddef>

#include <unistd.h>

namespace config {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view class_path_options[] = {"-cp", "-classpath", "--class-path", "-p", "--module-path"};
constexpr std::string_view class_path_assignments[] = {"--class-path=", "--module-path=", "CLASSPATH="};

/// Also those that are empty.
std::vector<std::string> parts_of_search_path(std::string_view list) {
  std::vector<std::string> parts;
  for (bool more = !list.empty(); more;) {
    auto end = list.find(':');
    parts.emplace_back(list.substr(0, end));
    more = end != list.npos;
    list.remove_prefix(more ? end + 1 : 0);
  }
  return parts;
}

void add_class_path(std::vector<std::string>& to, std::string_view value) {
  constexpr std::string_view all_in = "*";
  for (auto& part : parts_of_search_path(value))
    if (part == all_in || part.ends_with("/*"))
      to.push_back(part == all_in ? "." : part.substr(0, part.size() - all_in.size()));
    else if (!part.empty() && !part.ends_with(".jar"))
      to.push_back(std::move(part));
}

std::vector<std::string> named_by_class_paths(const std::vector<std::string>& words) {
  std::vector<std::string> out;
  constexpr std::string_view programs_of_java[] = {"java", "javaw", "javac"};
  bool is_java = false;
  for (size_t i = 0; i < words.size(); ++i) {
    is_java = is_java || is_among(fs::path{words[i]}.filename().string(), programs_of_java);
    if (is_java && i > 0 && is_among(words[i - 1], class_path_options))
      add_class_path(out, words[i]);
    for (auto begin : class_path_assignments)
      if (words[i].starts_with(begin))
        add_class_path(out, std::string_view{words[i]}.substr(begin.size()));
  }
  return out;
}

} // namespace

fs::path searched(const std::string& name, std::string_view search_path, const fs::path& cwd, file_look& look) {
  for (bool more = !search_path.empty() && !name.empty(); more && !look.is_exhausted();) {
    auto end = search_path.find(':');
    auto file = cwd / search_path.substr(0, end) / name;
    if (auto found = look.end_of(file.string());
        found.kind == process::path_kind::file && ::access(found.real.c_str(), X_OK) == 0)
      return file;
    more = end != search_path.npos;
    search_path.remove_prefix(more ? end + 1 : 0);
  }
  return {};
}

std::vector<std::string> search_folders(std::string_view search_path, std::string_view usual) {
  constexpr std::string_view itself[] = {"$PATH", "${PATH}"};
  auto known = parts_of_search_path(usual);
  auto parts = parts_of_search_path(search_path);
  std::erase_if(parts, [&](auto& part) { return is_among(part, known) || is_among(part, itself); });
  return parts;
}

fs::path environment_of(const fs::path& file, file_look& look) {
  auto folder = file.parent_path();
  bool is_one = folder.filename() == "bin"
                && (look.kind_of((folder.parent_path() / "pyvenv.cfg").string()) == process::path_kind::file
                    || file.filename().string().starts_with("activate"));
  return is_one ? folder.parent_path() : fs::path{};
}

std::vector<fs::path> class_folders(const std::vector<std::string>& words, std::string_view class_path,
                                    const std::vector<fs::path>& folders, const std::string& home, file_look& look) {
  std::vector<fs::path> out;
  auto named = named_by_class_paths(words);
  add_class_path(named, class_path);
  if (named.size() > search_folders_max)
    return folders;
  for (auto& name : named)
    for (auto& folder : folders)
      if (auto path = seen_from(folder, name, home); look.kind_of(path.string()) == process::path_kind::folder)
        out.push_back(std::move(path));
  return out;
}

} // namespace config
