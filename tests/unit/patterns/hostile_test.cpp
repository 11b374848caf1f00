// Programs that were written against the scanner: time is bounded, and nothing recurses.
#include "messages/limits.hpp"
#include "patterns/dangerous.hpp"
#include "patterns/rules.hpp"
#include "tests/unit/support/cpu_time.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <random>
#include <string>

namespace patterns_hostile_test {

/// Not optimized and with sanitizers the largest take up to 5 s; what is not linear takes minutes.
constexpr std::chrono::seconds patience{20};
constexpr size_t most = msg::limits::code_bytes_max;

void expect_in_time(msg::language language, std::string_view piece, std::string_view tail, size_t bytes = 64u << 10) {
  std::string code;
  while (code.size() + piece.size() <= bytes)
    code += piece;
  code += tail;
  auto begin = test::cpu_time();
  auto found = patterns::find_dangerous(language, code);
  EXPECT_LT(test::cpu_time() - begin, patience) << piece;
  EXPECT_LE(found.size(), patterns::findings_max);
}

TEST(dangerous_hostile, typescript_takes_linear_time) {
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
      expect_in_time(msg::language::typescript, piece, tail);
}

TEST(dangerous_hostile, python_takes_linear_time) {
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
      expect_in_time(msg::language::python, piece, tail);
}

TEST(dangerous_hostile, the_largest_programs) {
  for (auto* piece : {"(", "`${", "const {a="})
    expect_in_time(msg::language::typescript, piece, "", most);
  for (auto* piece : {"{", "f'{a:{b:", "globals()['a'+"})
    expect_in_time(msg::language::python, piece, "", most);
}

TEST(dangerous_hostile, any_bytes_are_taken) {
  std::mt19937 random{7};
  const char alphabet[] = "evalxFunction(){}[]`'\"\\/*$:.?=+# \n\r\tf\xC3\xA4\xE2\x80\xA8";
  for (int round = 0; round < 20'000; ++round) {
    std::string code(random() % 40, ' ');
    for (auto& c : code)
      c = alphabet[random() % (sizeof alphabet - 1)];
    for (auto language : {msg::language::typescript, msg::language::python})
      for (auto& d : patterns::find_dangerous(language, code))
        EXPECT_GE(d.line, 1u);
  }
}

TEST(dangerous_hostile, places_and_words) {
  auto found = patterns::find_dangerous(msg::language::python, "# ä\n  eval(x)\nos.system(y)");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(patterns::describe(found[0]), "eval at 2:3: `eval` runs text as code");
  EXPECT_EQ(patterns::refusal(found),
            "The program was not run, because it holds a dangerous pattern: eval at 2:3: `eval` runs text as code\n"
            "os-system at 3:1: `os.system` starts processes\n"
            "Write it without, or allow such programs with \"security\": {\"dangerousPatterns\": \"warn\"} (or \"off\") in the "
            "settings of code-executor.");
  std::string many;
  for (int i = 0; i < 50; ++i)
    many += "eval(x)\n";
  EXPECT_EQ(patterns::find_dangerous(msg::language::python, many).size(), patterns::findings_max);
  EXPECT_NE(patterns::refusal(patterns::find_dangerous(msg::language::python, many)).find("and 15 more"), std::string::npos);
}

} // namespace patterns_hostile_test
