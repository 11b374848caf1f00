// Programs that were written against the scanner: time is bounded, and nothing recurses.
#include "code_policy/violations.hpp"
#include "rules.hpp"
#include "testing/cpu_time.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <random>
#include <string>

namespace code_policy_hostile_test {

/// Not optimized and with sanitizers the largest take up to 5 s; what is not linear takes minutes.
constexpr std::chrono::seconds patience{20};
constexpr size_t most = size_t{1} << 20;

void expect_in_time(code_policy::language language, std::string_view piece, std::string_view tail,
                    size_t bytes = 64u << 10) {
  std::string code;
  while (code.size() + piece.size() <= bytes)
    code += piece;
  code += tail;
  auto begin = test::cpu_time();
  auto found = code_policy::find_violations(language, code);
  EXPECT_LT(test::cpu_time() - begin, patience) << piece;
  EXPECT_LE(found.size(), code_policy::findings_max);
}

TEST(code_policy_hostile, typescript_takes_linear_time) {
  for (auto* piece : {"(",
                      "{",
                      "[",
                      "}",
                      "`${",
                      "`",
                      "=/[",
                      "x=/a/;",
                      "/*",
                      "//\n",
                      "eval ",
                      "eval(",
                      "const{",
                      "const {a=",
                      "\\u{",
                      "globalThis.",
                      "globalThis[",
                      "import(",
                      "import('a'+",
                      "} = Deno",
                      "(0,eval)",
                      "require('a'",
                      "if(a)/b/",
                      "x.constructor.",
                      "x['constructor']",
                      "\xE2\x80\xA8",
                      "!",
                      "'\\",
                      "Reflect.construct(Function,",
                      "function exec",
                      "\xFF"})
    for (auto* tail : {"", "'\"`}])/\n*/"})
      expect_in_time(code_policy::language::typescript, piece, tail);
}

TEST(code_policy_hostile, python_takes_linear_time) {
  for (auto* piece : {"(",
                      "{",
                      "[",
                      "}",
                      "f'{",
                      "f'{a:{b:",
                      "f'{{",
                      "f\"{f'{",
                      "f'{x!r:{",
                      "'''",
                      "f'''{",
                      "\"",
                      "eval ",
                      "from a import b,",
                      "from ",
                      "import a,",
                      "import a.",
                      "getattr(a,",
                      "getattr(",
                      "globals()[",
                      "globals()['a'+",
                      "open(",
                      "open('a','w',",
                      "\\\n",
                      "r'\\",
                      "def a(",
                      "x.__dict__[",
                      "\n",
                      "\xFF"})
    for (auto* tail : {"", "'\"}}}])\n"})
      expect_in_time(code_policy::language::python, piece, tail);
}

TEST(code_policy_hostile, the_largest_programs) {
  for (auto* piece : {"(", "`${", "const {a="})
    expect_in_time(code_policy::language::typescript, piece, "", most);
  for (auto* piece : {"{", "f'{a:{b:", "globals()['a'+"})
    expect_in_time(code_policy::language::python, piece, "", most);
}

TEST(code_policy_hostile, any_bytes_are_taken) {
  std::mt19937 random{7};
  const char alphabet[] = "evalxFunction(){}[]`'\"\\/*$:.?=+# \n\r\tf\xC3\xA4\xE2\x80\xA8";
  for (int round = 0; round < 20'000; ++round) {
    std::string code(random() % 40, ' ');
    for (auto& c : code)
      c = alphabet[random() % (sizeof alphabet - 1)];
    for (auto language : {code_policy::language::typescript, code_policy::language::python})
      for (auto& d : code_policy::find_violations(language, code))
        EXPECT_GE(d.line, 1u);
  }
}

TEST(code_policy_hostile, places_and_words) {
  auto found = code_policy::find_violations(code_policy::language::python, "# ä\n  eval(x)\nos.system(y)");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(code_policy::describe(found[0]), "eval at 2:3: `eval` runs text as code");
  EXPECT_EQ(code_policy::describe(found),
            "eval at 2:3: `eval` runs text as code\nos-system at 3:1: `os.system` starts processes");
  std::string many;
  for (int i = 0; i < 50; ++i)
    many += "eval(x)\n";
  EXPECT_EQ(code_policy::find_violations(code_policy::language::python, many).size(), code_policy::findings_max);
  EXPECT_NE(
    code_policy::describe(code_policy::find_violations(code_policy::language::python, many)).find("and 15 more"),
    std::string::npos);
}

} // namespace code_policy_hostile_test
