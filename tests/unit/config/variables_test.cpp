#include "config/variables.hpp"

#include "messages/limits.hpp"
#include "testing/folder.hpp"

#include <gtest/gtest.h>

#include <map>

namespace config_variables_test {

using msg::variable_syntax;

struct expansion {
  const char *text, *expanded;
};

class variables_test : public testing::Test {
protected:
  msg::outcome<std::string> expand(std::string_view text, variable_syntax syntax) {
    config::variable_lookup lookup = [this](std::string_view name) {
      auto found = variables_.find(std::string{name});
      return found == variables_.end() ? std::string{} : found->second;
    };
    return config::expand(text, {syntax, lookup, "/home/u", "/projects/shop", folder_.path()});
  }

  template <size_t N>
  void expect(variable_syntax syntax, const expansion (&cases)[N]) {
    for (auto& c : cases) {
      auto out = expand(c.text, syntax);
      EXPECT_TRUE(out.ok()) << c.text << ": " << out.error.message;
      EXPECT_EQ(out.value, c.expanded) << c.text;
    }
  }

  test::folder folder_;
  std::map<std::string, std::string> variables_{{"A", "1"},         {"B_2", "two"},  {"EMPTY", ""},
                                                {"NESTED", "${A}"}, {"DOLLAR", "$"}, {"API_KEY", "s3cret"}};
};

TEST_F(variables_test, of_claude_code) {
  expect(variable_syntax::shell, {
                                   {"", ""},
                                   {"plain", "plain"},
                                   {"${A}", "1"},
                                   {"x${A}y${B_2}z", "x1ytwoz"},
                                   {"${A}${A}", "11"},
                                   {"${A:-other}", "1"},
                                   {"${UNSET:-other}", "other"},
                                   {"${UNSET:-}", ""},
                                   {"${UNSET:-a:-b}", "a:-b"},
                                   {"${EMPTY:-other}", "other"},
                                   {"${UNSET}", "${UNSET}"},
                                   {"${NESTED}", "${A}"}, // what a variable holds is not expanded again
                                   {"$A", "$A"},
                                   {"$", "$"},
                                   {"${", "${"},
                                   {"${A", "${A"},
                                   {"a}b", "a}b"},
                                   {"${}", "${}"},
                                   {"$${A}", "$1"},
                                   {"{A}", "{A}"},
                                   {"${UNSET}${A}", "${UNSET}1"},
                                   {"é${A}日", "é1日"},
                                 });
}

TEST_F(variables_test, of_clients_that_have_none) {
  expect(
    variable_syntax::none,
    {{"", ""}, {"${A}", "${A}"}, {"$A {env:A} ${env:A} ${{ secrets.A }}", "$A {env:A} ${env:A} ${{ secrets.A }}"}});
}

TEST_F(variables_test, of_editors) {
  expect(variable_syntax::editor, {
                                    {"${env:A}", "1"},
                                    {"x${env:A}y${env:B_2}", "x1ytwo"},
                                    {"${env:UNSET}", ""}, // as VS Code does
                                    {"${env:}", ""},
                                    {"${env:NESTED}", "${A}"},
                                    {"${userHome}/x", "/home/u/x"},
                                    {"${workspaceFolder}/x", "/projects/shop/x"},
                                    {"${workspaceRoot}", "/projects/shop"},
                                    {"${workspaceFolderBasename}", "shop"},
                                    {"a${pathSeparator}b${/}c", "a/b/c"},
                                    {"${A}", "${A}"}, // names nothing there
                                    {"${A:-other}", "${A:-other}"},
                                    {"${command:x}", "${command:x}"},
                                    {"${input:API_KEY}", "s3cret"},
                                    {"${input:api-key}", "s3cret"},
                                    {"${env:A", "${env:A"},
                                    {"$A", "$A"},
                                  });
}

TEST_F(variables_test, of_gemini) {
  expect(variable_syntax::gemini, {
                                    {"$A", "1"},
                                    {"${A}", "1"},
                                    {"$A/$B_2/x", "1/two/x"},
                                    {"$UNSET", "$UNSET"},
                                    {"${UNSET}", "${UNSET}"},
                                    {"${UNSET:-other}", "other"},
                                    {"$A$A", "11"},
                                    {"$", "$"},
                                    {"$$A", "$1"},
                                    {"$5", "$5"},
                                    {"a$", "a$"},
                                    {"${A", "${A"},
                                    {"$(whoami)", "$(whoami)"}, // no command is ever run
                                    {"$NESTED", "${A}"},
                                    {"$A.b", "1.b"},
                                  });
}

TEST_F(variables_test, of_opencode) {
  folder_.write("token", "from a file\n\n");
  expect(variable_syntax::opencode, {
                                      {"{env:A}", "1"},
                                      {"x{env:A}y{env:B_2}z", "x1ytwoz"},
                                      {"{env:UNSET}", ""},
                                      {"{file:token}", "from a file"},
                                      {"{file:./token}!", "from a file!"},
                                      {"{other:A}", "{other:A}"},
                                      {"{{env:A}}", "{1}"},
                                      {"{env:A", "{env:A"},
                                      {"{}", "{}"},
                                      {"${A}", "${A}"},
                                    });
}

TEST_F(variables_test, tells_which_files_it_would_read) {
  auto files = [&](std::string_view text, variable_syntax syntax) {
    config::variable_lookup none = [](auto) { return std::string{}; };
    return config::files_in(text, {syntax, none, "/home/u", "/projects/shop", "/conf"});
  };
  using strings = std::vector<std::string>;
  EXPECT_EQ(files("{file:token}x{env:A}{file:~/a/../b}{file:/c}", variable_syntax::opencode),
            (strings{"/conf/token", "/home/u/b", "/c"}));
  EXPECT_EQ(files("${env:A}${file:./d}", variable_syntax::editor), strings{"/conf/d"});
  EXPECT_EQ(files("${file:d}", variable_syntax::shell), strings{});
  EXPECT_EQ(files("{file:", variable_syntax::opencode), strings{});
}

TEST_F(variables_test, of_continue) {
  expect(variable_syntax::mustache, {
                                      {"${{ secrets.A }}", "1"},
                                      {"${{secrets.A}}", "1"},
                                      {"x${{ inputs.B_2 }}y", "xtwoy"},
                                      {"${{ secrets.org/pkg.A }}", "1"},
                                      {"${{ secrets.UNSET }}", "${{ secrets.UNSET }}"},
                                      {"${{ other.A }}", "${{ other.A }}"},
                                      {"${{ }}", "${{ }}"},
                                      {"${A}", "${A}"},
                                    });
}

TEST_F(variables_test, a_file_is_read) {
  auto path = folder_.write("token", "  x y \n");
  EXPECT_EQ(expand("${file:" + path + "}", variable_syntax::editor).value, "  x y");
  EXPECT_EQ(expand("-${file:token}-", variable_syntax::editor).value, "-  x y-");
  folder_.write("empty", "\n");
  EXPECT_EQ(expand("${file:empty}", variable_syntax::editor).value, "");
}

TEST_F(variables_test, a_file_that_can_not_be_read_is_a_fault_with_its_name) {
  std::filesystem::create_directory(folder_.path("dir"));
  std::filesystem::resize_file(folder_.write("big", "x"), msg::limits::entry_file_bytes_max + 1);
  struct {
    const char *text, *says;
  } const cases[] = {{"${file:missing}", "missing"},
                     {"${file:dir}", "folder"},
                     {"${file:big}", "larger than 1 MiB"},
                     {"${file:~/no}", "/home/u/no"}};
  for (auto& c : cases) {
    auto out = expand(c.text, variable_syntax::editor);
    EXPECT_EQ(out.error.code, msg::errc::server_start_failed) << c.text;
    EXPECT_NE(out.error.message.find(c.says), std::string::npos) << out.error.message;
  }
  EXPECT_FALSE(expand("{file:missing}", variable_syntax::opencode).ok());
}

TEST_F(variables_test, an_input_that_nobody_gave_is_a_fault_that_says_how) {
  auto out = expand("Bearer ${input:github-token}", variable_syntax::editor);
  EXPECT_EQ(out.error.code, msg::errc::server_start_failed);
  EXPECT_NE(out.error.message.find("'github-token'"), std::string::npos) << out.error.message;
  EXPECT_NE(out.error.message.find("GITHUB_TOKEN"), std::string::npos) << out.error.message;
}

TEST_F(variables_test, results_are_bounded) {
  variables_["A"] = std::string(msg::limits::argument_bytes_max / 2, 'x');
  EXPECT_TRUE(expand("${A}", variable_syntax::shell).ok());
  for (auto* text : {"${A}${A}-", "${A}${A}${A}", "${A}${A}${A}${A}${A}"}) {
    auto out = expand(text, variable_syntax::shell);
    EXPECT_EQ(out.error.code, msg::errc::limit_exceeded) << text;
    EXPECT_EQ(out.error.message.find("xx"), std::string::npos) << "what variables hold is not told";
  }
}

} // namespace config_variables_test
