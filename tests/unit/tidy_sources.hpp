// The sources of the project, for the tests that walk them.
#pragma once

#include "tests/unit/support/places.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace tidy {

namespace fs = std::filesystem;
using strings = std::vector<std::string>;

inline const std::string root = test::source("");

struct source {
  std::string path; ///< from the root
  strings lines;    ///< as they are
  strings code;     ///< without comments and the content of literals
};

inline strings lines_of(const std::string& text) {
  strings out;
  std::istringstream in{text};
  for (std::string line; std::getline(in, line);)
    out.push_back(line);
  return out;
}

inline std::string read(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream{path, std::ios::binary}.rdbuf();
  return text.str();
}

/// Blanks out comments and what is inside of literals; lines stay where they are.
inline std::string code_of(const std::string& text) {
  std::string out = text;
  auto blank = [&](size_t from, size_t to) {
    for (size_t i = from; i < std::min(to, out.size()); ++i)
      if (out[i] != '\n')
        out[i] = ' ';
  };
  for (size_t i = 0; i < text.size();) {
    auto end = i + 1;
    if (text.compare(i, 2, "//") == 0) {
      end = std::min(text.find('\n', i), text.size());
      blank(i, end);
    } else if (text.compare(i, 2, "/*") == 0) {
      end = std::min(text.find("*/", i + 2), text.size() - 2) + 2;
      blank(i, end);
    } else if (text.compare(i, 2, "R\"") == 0) {
      auto open = text.find('(', i);
      auto closing = ")" + text.substr(i + 2, open - i - 2) + "\"";
      end = std::min(text.find(closing, open), text.size() - closing.size()) + closing.size();
      blank(i + 2, end - 1);
    } else if (text[i] == '"'
               || (text[i] == '\''
                   && (i == 0 || !std::isalnum(static_cast<unsigned char>(text[i - 1]))))) { // not 1'000
      for (; end < text.size() && text[end] != text[i] && text[end] != '\n'; ++end)
        end += text[end] == '\\';
      blank(i + 1, end);
      ++end;
    }
    i = end;
  }
  return out;
}

inline bool is_source(const fs::path& p) {
  static const std::set<std::string> kinds{".cpp", ".hpp", ".py", ".ts"};
  return kinds.contains(p.extension().string());
}

/// Everything of ours; nothing that is built or fetched.
inline const std::vector<source>& sources() {
  static const auto all = [] {
    std::vector<source> out;
    for (fs::recursive_directory_iterator it{root}, end; it != end; ++it) {
      auto name = it->path().filename().string();
      if (it->is_directory()
          && (name.starts_with('.') || name.starts_with("build") || name == "node_modules" || name == "__pycache__")) {
        it.disable_recursion_pending();
        continue;
      }
      if (!it->is_regular_file() || !is_source(it->path()))
        continue;
      auto text = read(it->path());
      out.push_back({fs::relative(it->path(), root).generic_string(), lines_of(text), lines_of(code_of(text))});
    }
    std::sort(out.begin(), out.end(), [](auto& a, auto& b) { return a.path < b.path; });
    return out;
  }();
  return all;
}

inline bool is_cpp(const source& s) { return s.path.ends_with(".cpp") || s.path.ends_with(".hpp"); }

inline bool is_of_tests(std::string_view path) {
  return path.find("/tests/") != path.npos || path.find("/fuzz/") != path.npos || path.starts_with("tests/");
}

inline std::string at(const source& s, size_t line) { return s.path + ":" + std::to_string(line) + ": "; }

} // namespace tidy
