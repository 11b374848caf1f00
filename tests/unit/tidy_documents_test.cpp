// Walks the documents: no file that they name is gone.
#include "tests/unit/support/places.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace tidy_documents_test {

namespace fs = std::filesystem;
using strings = std::vector<std::string>;

const fs::path root = test::source("");

/// They look like files of ours, and are none.
const std::set<std::string> others{
  "sampling/createMessage", // a method of MCP
  "config/mcporter.json",   // of a user
};

std::string read(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream{path, std::ios::binary}.rdbuf();
  return text.str();
}

/// `folder/file` or `folder/file:name` in backticks, without what stands for several.
strings paths_in(const std::string& text) {
  strings out;
  for (size_t begin = text.find('`'); begin != text.npos;) {
    auto end = text.find_first_of("`\n", begin + 1);
    if (end == text.npos)
      break;
    auto word = text.substr(begin + 1, end - begin - 1);
    if (text[end] == '`' && word.find('/') != word.npos && word.find("://") == word.npos
        && word.find_first_of(" <>*{}$()\\\"") == word.npos)
      out.push_back(word);
    begin = text.find('`', text[end] == '`' ? end + 1 : end);
  }
  return out;
}

TEST(tidy_documents, finds_paths) {
  EXPECT_EQ(paths_in("`a/b.cpp` and `c` in `d/e:12`, `x y/z`, `http://a/b`\n`f/*.cpp` `g/`"),
            (strings{"a/b.cpp", "d/e:12", "g/"}));
}

bool is_skipped(const std::string& folder) {
  return folder.starts_with('.') || folder.starts_with("build") || folder == "node_modules";
}

/// The top-level ones, and those that there were once.
std::set<std::string> folders() {
  std::set<std::string> out{"demo",     "examples", "http",       "memory", "network", "outputs",
                            "patterns", "pch",      "signatures", "sqlite", "trust"};
  for (auto& entry : fs::directory_iterator{root})
    if (auto name = entry.path().filename().string(); entry.is_directory() && !is_skipped(name))
      out.insert(name);
  return out;
}

/// Of a source: `name`, if it is one, stands in it before a parenthesis.
bool holds(const fs::path& file, const std::string& name) {
  bool is_name = !name.empty() && name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_") == name.npos;
  return !is_name || read(file).find(name + "(") != std::string::npos;
}

/// From the root, from the document, or as a library's header is included.
bool exists(const fs::path& document, const std::string& word) {
  auto path = word.substr(0, word.find(':')), name = word.substr(std::min(path.size() + 1, word.size()));
  for (auto& folder : {root, document.parent_path(), document.parent_path() / "include"})
    for (auto* ending : {"", ".cpp", ".hpp", ".md"})
      if (auto file = folder / (path + ending); fs::exists(file) && holds(file, name))
        return true;
  return false;
}

TEST(tidy_documents, name_no_file_that_is_gone) {
  auto known = folders();
  for (fs::recursive_directory_iterator it{root}, end; it != end; ++it) {
    auto name = it->path().filename().string();
    if (it->is_directory() && is_skipped(name))
      it.disable_recursion_pending();
    if (!name.ends_with(".md"))
      continue;
    for (auto& path : paths_in(read(it->path()))) {
      auto top = path.substr(0, path.find('/'));
      bool is_of_state = path == "outputs/"; // the folder beside a user's settings
      EXPECT_TRUE(!known.contains(top) || is_of_state || others.contains(path) || exists(it->path(), path))
        << fs::relative(it->path(), root) << ": " << path;
    }
  }
}

} // namespace tidy_documents_test
