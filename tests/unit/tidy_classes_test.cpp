// Counts the methods of classes, as they are formatted: a class with many has more than one subject.
#include "tests/unit/tidy_rules.hpp"
#include "tests/unit/tidy_sources.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace tidy_classes_test {

using namespace tidy;

struct counted_class {
  std::string file, name;
  size_t methods = 0;
};

/// Of a line such as `class x final : public y {`; empty: none begins there.
std::string class_begun(const std::string& code) {
  for (std::string word : {"class ", "struct "})
    if (code.starts_with(word) && code.ends_with('{'))
      return code.substr(word.size(), code.find_first_of(" :{", word.size()) - word.size());
  return {};
}

/// The parenthesis of its parameters, and not one within `std::function<void(int)>`; npos: there is none.
size_t parameters_in(const std::string& code) {
  size_t depth = 0;
  for (size_t i = 0; i < code.size(); ++i) {
    if (code[i] == '(' && depth == 0)
      return i;
    depth += code[i] == '<' ? 1 : 0;
    depth -= code[i] == '>' && depth > 0 && code[i - 1] != '-' ? 1 : 0;
  }
  return code.npos;
}

/// Whether a line directly in a class declares a method; constructors and what is defaulted or deleted are none.
bool declares_method(const std::string& code, const std::string& of_class) {
  bool is_direct =
    code.size() > 2 && code.starts_with("  ") && (std::isalpha(static_cast<unsigned char>(code[2])) != 0);
  for (auto* other : {"  using ", "  friend ", "  static_assert", "  template"})
    is_direct = is_direct && !code.starts_with(other);
  auto begin = parameters_in(code);
  if (!is_direct || begin == code.npos || begin == 0 || code[begin - 1] == ' ')
    return false;
  auto name = code.find_last_of(" ~&*", begin - 1);
  return code.substr(name + 1, begin - name - 1) != of_class && code.find("= default") == code.npos
         && code.find("= delete") == code.npos;
}

std::vector<counted_class> classes_in(const source& s) {
  std::vector<counted_class> out;
  bool is_inside = false;
  for (auto& code : s.code) {
    if (auto name = class_begun(code); !name.empty()) {
      out.push_back({s.path, std::move(name)});
      is_inside = true;
    } else if (code.starts_with('}')) {
      is_inside = false;
    } else if (is_inside && declares_method(code, out.back().name)) {
      ++out.back().methods;
    }
  }
  return out;
}

TEST(tidy_classes, counts_methods) {
  source s{"x.hpp",
           {},
           {"class x final : public y {", "public:", "  explicit x(int a);", "  x(const x&) = delete;", "  ~x();",
            "  void f();", "  std::map<int, int> g(int a,", "                    int b) const;", "  int h_ = f(1);",
            "  std::function<void(int)> i;", "  bool operator==(const x&) const;", "  struct inner {", "    void j();",
            "  };", "};", "void outside();"}};
  auto found = classes_in(s);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].name, "x");
  EXPECT_EQ(found[0].methods, 4u) << "f, g, ==, and what begins like one";
}

TEST(tidy_classes, have_few_methods) {
  std::vector<std::string> found;
  for (auto& s : sources())
    for (auto& c : is_cpp(s) && !is_of_tests(s.path) ? classes_in(s) : std::vector<counted_class>{}) {
      if (c.methods <= methods_max)
        continue;
      auto known = std::find_if(std::begin(large_classes), std::end(large_classes),
                                [&](auto& l) { return l.file == c.file && l.name == c.name; });
      EXPECT_EQ(c.methods, known == std::end(large_classes) ? methods_max : known->methods)
        << c.file << ": " << c.name << ": which two subjects does it have? Of fewer methods, tidy_rules.hpp says so";
      found.push_back(c.name);
    }
  EXPECT_EQ(found.size(), std::size(large_classes)) << "exceptions for classes that have few";
}

} // namespace tidy_classes_test
