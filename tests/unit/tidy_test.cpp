// Walks the sources: what the compiler does not check and reviewers forget.
#include "tests/unit/tidy_rooms.hpp"
#include "tests/unit/tidy_rules.hpp"
#include "tests/unit/tidy_sources.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace tidy;

// ---- the rules ---------------------------------------------------------------------------------

constexpr size_t file_lines_max = 420;
/// Of a function outside of classes, with its head. None may grow beyond.
constexpr size_t function_lines_max = 60;

bool is_excepted(std::string_view rule, std::string_view file) {
  return std::any_of(std::begin(exceptions), std::end(exceptions), [&](auto& e) {
    return e.rule == rule && (e.file.ends_with('/') ? file.starts_with(e.file) : file == e.file);
  });
}

// ---- the sources -------------------------------------------------------------------------------

/// The innermost room of a path; empty: of none.
std::string room_of(std::string_view path) {
  for (auto end = path.rfind('/'); end != path.npos && end > 0; end = path.rfind('/', end - 1))
    if (std::string folder{path.substr(0, end)};
        may_include.contains(folder) || upper_rooms.contains(folder) || libraries.contains(folder))
      return folder;
  return {};
}

/// Runs `check(source, number, line of code)` on every line of C++.
template <class F>
void for_each_line(F check) {
  for (auto& s : sources())
    for (size_t i = 0; is_cpp(s) && i < s.code.size(); ++i)
      check(s, i + 1, s.code[i]);
}

/// The path between the quotes or brackets of an #include; empty: no such line.
std::string included(const source& s, size_t line) {
  auto& text = s.lines[line - 1];
  if (!text.starts_with("#include"))
    return {};
  auto begin = text.find_first_of("\"<");
  auto end = begin == text.npos ? begin : text.find_first_of("\">", begin + 1);
  return end == text.npos ? std::string{} : text.substr(begin + 1, end - begin - 1);
}

/// The file of ours that is included; empty: it is none.
std::string file_included(const source& s, size_t line) {
  auto path = included(s, line);
  if (path.empty())
    return {};
  auto folder = fs::path{s.path}.parent_path();
  auto library = libraries.contains(room_of(s.path)) ? fs::path{room_of(s.path)} : fs::path{};
  std::vector<fs::path> places{folder, "", library / "src", library};
  for (auto& [name, others] : libraries)
    places.push_back(fs::path{name} / "include");
  for (auto& place : places)
    if (fs::is_regular_file(fs::path{root} / place / path))
      return (place / path).lexically_normal().generic_string();
  return {};
}

// ---- the checks --------------------------------------------------------------------------------

TEST(tidy, finds_the_sources) {
  auto has = [](std::string_view path) {
    return std::any_of(sources().begin(), sources().end(), [&](auto& s) { return s.path == path; });
  };
  for (auto path : {"messages/document.hpp", "actors/execution.cpp", "cli/main.cpp", "tests/unit/tidy_test.cpp",
                    "sandbox/guest/python/main.py", "sandbox/guest/typescript/main.ts"})
    EXPECT_TRUE(has(path)) << path;
}

TEST(tidy, sees_code_and_not_comments_or_literals) {
  EXPECT_EQ(code_of("a // b\nc /* d\n e */ f"), "a     \nc     \n      f");
  EXPECT_EQ(code_of("x(\"a\\\"b\", 'c', 1'000, '\\'')"), "x(\"    \", ' ', 1'000, '  ')");
  EXPECT_EQ(code_of("R\"(a\")\" b"), "R\"    \" b");
}

TEST(tidy, includes_point_downwards) {
  for_each_line([](auto& s, size_t line, auto&) {
    auto path = file_included(s, line);
    auto from = room_of(s.path), to = room_of(path);
    if (from.empty() || to.empty() || from == to || from == "cli" || libraries.contains(from))
      return;
    auto allowed = may_include.find(from);
    bool is_fine = libraries.contains(to)         ? to != "subprojects/testing"
                   : allowed == may_include.end() ? !upper_rooms.contains(to)
                                                  : allowed->second.contains(to);
    EXPECT_TRUE(is_fine) << at(s, line) << from << "/ may not include " << path;
  });
}

TEST(tidy, libraries_know_nothing_of_the_program) {
  for_each_line([](auto& s, size_t line, auto&) {
    auto path = file_included(s, line);
    auto from = libraries.find(room_of(s.path));
    auto to = room_of(path);
    if (path.empty() || from == libraries.end() || from->first == to)
      return;
    bool is_fine = from->second.contains(to) || (to == "subprojects/testing" && is_of_tests(s.path));
    EXPECT_TRUE(is_fine) << at(s, line) << from->first << " may not include " << path;
  });
}

TEST(tidy, all_libraries_are_known_and_say_what_they_are) {
  for (auto& folder : fs::directory_iterator{fs::path{root} / "subprojects"}) {
    auto name = "subprojects/" + folder.path().filename().string();
    EXPECT_TRUE(libraries.contains(name)) << name;
    EXPECT_TRUE(fs::exists(folder.path() / "README.md")) << name;
    EXPECT_TRUE(name == "subprojects/testing" || fs::is_directory(folder.path() / "tests")) << name;
  }
}

TEST(tidy, caf_is_for_actors_only) {
  for_each_line([](auto& s, size_t line, auto&) {
    auto path = included(s, line);
    bool is_below = s.path.starts_with("actors/") && !upper_rooms.contains(room_of(s.path)); // tested without any actor
    bool is_of_actors = path.starts_with("caf/") || path == "messages/actors.hpp" || path == "messages/listeners.hpp"
                        || (is_below && path.starts_with("asio"));
    EXPECT_FALSE(is_of_actors && (is_below || !(is_excepted("caf", s.path) || s.path.starts_with("packaging/pch/"))))
      << at(s, line) << path;
  });
}

TEST(tidy, messages_are_plain) {
  for_each_line([](auto& s, size_t line, auto&) {
    auto path = included(s, line);
    bool heavy = path.starts_with("boost/") || path.starts_with("asio");
    EXPECT_FALSE(heavy && s.path.starts_with("messages/") && s.path.ends_with(".hpp"))
      << at(s, line) << "every actor includes this header: forward declare instead of " << path;
  });
}

TEST(tidy, nothing_includes_tests) {
  for_each_line([](auto& s, size_t line, auto&) {
    EXPECT_FALSE(included(s, line).starts_with("tests/") && !s.path.starts_with("tests/")
                 && !s.path.starts_with("bench/"))
      << at(s, line) << included(s, line);
  });
}

/// From `co_await` to the end of its expression: a brace before the closing parenthesis.
bool awaits_a_brace(std::string_view line) {
  for (auto found = line.find("co_await"); found != line.npos; found = line.find("co_await", found + 1)) {
    int depth = 0;
    for (auto i = found; i < line.size() && line[i] != ';'; ++i) {
      depth += line[i] == '(';
      depth -= line[i] == ')';
      if (depth < 0 || (depth == 0 && line[i] == ')'))
        break;
      if (line[i] == '{' && depth > 0)
        return true;
    }
  }
  return false;
}

TEST(tidy, knows_a_braced_argument_of_co_await) {
  EXPECT_TRUE(awaits_a_brace("co_await f(aggregate{1});"));
  EXPECT_TRUE(awaits_a_brace("auto x = co_await ask(a, b{});"));
  EXPECT_FALSE(awaits_a_brace("co_await f(a);"));
  EXPECT_FALSE(awaits_a_brace("if (co_await f(a)) {"));
  EXPECT_FALSE(awaits_a_brace("x{1}; co_await f(a);"));
}

TEST(tidy, no_brace_inside_co_await) {
  for_each_line([](auto& s, size_t line, auto& code) {
    EXPECT_FALSE(awaits_a_brace(code)) << at(s, line) << "g++ 12 miscompiles this: name the value first";
  });
}

/// One of two values, of which one is awaited: it is destroyed twice.
bool awaits_in_a_choice(std::string_view line) {
  return line.find("? co_await") != line.npos
         || (line.find(" ? ") != line.npos && line.find(": co_await") != line.npos);
}

TEST(tidy, no_co_await_inside_a_choice) {
  EXPECT_TRUE(awaits_in_a_choice("co_return a ? b() : co_await c();"));
  EXPECT_TRUE(awaits_in_a_choice("auto x = a ? co_await b() : c;"));
  EXPECT_FALSE(awaits_in_a_choice("for (auto x : co_await a())"));
  for_each_line([](auto& s, size_t line, auto& code) {
    EXPECT_FALSE(awaits_in_a_choice(code)) << at(s, line) << "g++ 12 miscompiles this: write an if";
  });
}

bool calls(std::string_view code, std::string_view what) {
  for (auto found = code.find(what); found != code.npos; found = code.find(what, found + 1)) {
    auto before = found == 0 ? ' ' : code[found - 1];
    if (!std::isalnum(static_cast<unsigned char>(before)) && before != '_')
      return true;
  }
  return false;
}

TEST(tidy, banned_calls) {
  for_each_line([](auto& s, size_t line, auto& code) {
    for (auto& b : banned_calls)
      EXPECT_FALSE(calls(code, b.text) && !is_excepted(b.text, s.path))
        << at(s, line) << b.text << ": use " << b.instead;
  });
}

TEST(tidy, files_are_short) {
  for (auto& s : sources())
    EXPECT_TRUE(s.lines.size() <= file_lines_max || is_excepted("length", s.path))
      << s.path << " has " << s.lines.size() << " lines, at most " << file_lines_max
      << ": which two subjects does it have?";
}

/// Of a line that is formatted: whether a function outside of classes begins there.
bool begins_function(const std::string& code) {
  static const strings others{"namespace", "class", "struct", "enum", "union", "extern"};
  auto is_other = [&](auto& word) { return code.starts_with(word); };
  return !code.empty() && std::isalpha(static_cast<unsigned char>(code[0])) && code.ends_with('{')
         && code.find('(') != code.npos && std::none_of(others.begin(), others.end(), is_other);
}

TEST(tidy, functions_are_short) {
  for (auto& s : sources())
    for (size_t i = 0; is_cpp(s) && !is_of_tests(s.path) && i < s.code.size(); ++i) {
      auto begin = i;
      while (begins_function(s.code[begin]) && i + 1 < s.code.size() && !s.code[i].starts_with('}'))
        ++i;
      EXPECT_TRUE(i - begin < function_lines_max || is_excepted("function", s.path))
        << at(s, begin + 1) << i - begin + 1 << " lines";
    }
}

TEST(tidy, nothing_is_left_over) {
  const strings marks{"TO"
                      "DO",
                      "FIX"
                      "ME",
                      "XX"
                      "X:",
                      "HA"
                      "CK"};
  for (auto& s : sources())
    for (size_t i = 0; i < s.lines.size(); ++i)
      for (auto& mark : marks)
        EXPECT_FALSE(calls(s.lines[i], mark)) << at(s, i + 1) << mark << ": do it, or open an issue";
}

TEST(tidy, headers_are_included_once) {
  for (auto& s : sources())
    if (s.path.ends_with(".hpp") && s.path.find("pch/") == s.path.npos) {
      EXPECT_NE(std::find(s.lines.begin(), s.lines.end(), "#pragma once"), s.lines.end())
        << s.path << " has no #pragma once";
    }
}

TEST(tidy, headers_begin_with_what_they_are_for) {
  for (auto& s : sources())
    if (s.path.ends_with(".hpp") && s.path.find("pch/") == s.path.npos) {
      EXPECT_TRUE(!s.lines.empty() && s.lines[0].starts_with("// ")) << s.path;
    }
}

TEST(tidy, every_file_is_built) {
  std::map<std::string, std::string> lists; // folder of a meson.build, its text
  for (fs::recursive_directory_iterator it{root}, end; it != end; ++it) {
    auto name = it->path().filename().string();
    if (it->is_directory() && (name.starts_with('.') || name.starts_with("build") || name == "node_modules"))
      it.disable_recursion_pending();
    else if (name == "meson.build")
      lists[fs::relative(it->path().parent_path(), root).generic_string()] = read(it->path());
  }
  for (auto& s : sources()) {
    if (!s.path.ends_with(".cpp") || is_excepted("meson", s.path))
      continue;
    bool listed = std::any_of(lists.begin(), lists.end(), [&](auto& list) {
      auto holds = [&](const std::string& path) { return list.second.find("'" + path + "'") != std::string::npos; };
      return holds(s.path) || (s.path.starts_with(list.first + "/") && holds(s.path.substr(list.first.size() + 1)));
    });
    EXPECT_TRUE(listed) << s.path << " is in no meson.build";
  }
}

TEST(tidy, every_header_is_used) {
  std::set<std::string> used;
  for_each_line([&](auto& s, size_t line, auto&) { used.insert(file_included(s, line)); });
  for (auto& s : sources())
    if (s.path.ends_with(".hpp") && s.path.find("pch/") == s.path.npos) {
      EXPECT_TRUE(used.contains(s.path)) << s.path << " is not included anywhere";
    }
}

TEST(tidy, every_exception_is_still_needed) {
  for (auto& e : exceptions) {
    bool is_folder = e.file.ends_with('/');
    EXPECT_TRUE(is_folder || fs::exists(fs::path{root} / e.file))
      << e.file << " is gone; so is its exception to " << e.rule;
    EXPECT_FALSE(e.why.empty());
  }
}

} // namespace
