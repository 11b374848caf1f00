// A corpus of files that people get wrong, in every format, with the complaint that each must give.
#include "config/server_list.hpp"

#include "testing/folder.hpp"
#include "tests/unit/support/values.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace config_broken_servers_test {

struct broken {
  const char* text;
  const char* says; ///< all of the first problem, behind the path of the file
};

class broken_servers_test : public testing::Test {
protected:
  /// Each file beside one that is right, which must be used all the same.
  template <size_t N>
  void expect(const char* name, const broken (&cases)[N]) {
    for (auto& c : cases) {
      test::folder folder;
      config::environment env;
      env.home = folder.path("home");
      env.cwd = folder.path("project");
      folder.write("home/MCPs/right.json", R"({"right":{"command":"x"}})");
      auto path = folder.write(name, c.text);
      auto list = config::load_servers(env, "/nowhere/code-executor");
      EXPECT_TRUE(std::any_of(list.entries.begin(), list.entries.end(), [](auto& e) { return e.name == "right"; })) << c.text;
      ASSERT_FALSE(list.problems.empty()) << c.text;
      EXPECT_EQ(list.problems[0], path + ": " + c.says) << c.text;
      EXPECT_EQ(list.problems[0].find("s3cret"), std::string::npos) << c.text;
      EXPECT_TRUE(test::is_valid_utf8(list.problems[0])) << c.text;
    }
  }
};

TEST_F(broken_servers_test, json_that_is_none) {
  expect("project/.mcp.json",
         {
           {"", "broken JSON at line 1, column 1: incomplete JSON; the file is skipped"},
           {" \n\n", "broken JSON at line 3, column 1: incomplete JSON; the file is skipped"},
           {"mcpServers", "broken JSON at line 1, column 1: syntax error; the file is skipped"},
           {"{", "broken JSON at line 1, column 2: incomplete JSON; the file is skipped"},
           {"{\"mcpServers\"", "broken JSON at line 1, column 14: incomplete JSON; the file is skipped"},
           {"{\"mcpServers\": {", "broken JSON at line 1, column 17: incomplete JSON; the file is skipped"},
           {"{\"mcpServers\": {\"a\": {\"command\": \"x}}}", "broken JSON at line 1, column 39: incomplete JSON; the file is skipped"},
           {"{'mcpServers': {}}", "broken JSON at line 1, column 2: syntax error; the file is skipped"},
           {"{mcpServers: {}}", "broken JSON at line 1, column 2: syntax error; the file is skipped"},
           {"{\"mcpServers\": {\"a\": {\"command\" \"x\"}}}", "broken JSON at line 1, column 33: syntax error; the file is skipped"},
           {"{\n  \"mcpServers\": {\n    \"a\": {\"command\": \"x\"}\n    \"b\": {\"command\": \"x\"}\n  }\n}",
            "broken JSON at line 4, column 5: syntax error; the file is skipped"},
           {"{\"mcpServers\": {\"a\": {\"command\": \"x\",,}}}", "broken JSON at line 1, column 38: syntax error; the file is skipped"},
           {"{\"mcpServers\": {\"a\": {\"command\": \"C:\\dir\"}}}", "broken JSON at line 1, column 38: syntax error; the file is skipped"},
           {"{\"mcpServers\": {\"a\": {\"command\": \"two\nlines\"}}}", "broken JSON at line 1, column 38: syntax error; the file is skipped"},
           {"{\"mcpServers\": {\"a\": {\"disabled\": True}}}", "broken JSON at line 1, column 35: syntax error; the file is skipped"},
           {"{\"mcpServers\": {\"a\": {\"timeout\": 05}}}", "broken JSON at line 1, column 35: syntax error; the file is skipped"},
           {"{\"mcpServers\": {\"a\": {\"timeout\": .5}}}", "broken JSON at line 1, column 34: syntax error; the file is skipped"},
           {"{\"mcpServers\": {\"a\": {\"timeout\": NaN}}}", "broken JSON at line 1, column 34: syntax error; the file is skipped"},
           {"{\"mcpServers\": {\"a\": undefined}}", "broken JSON at line 1, column 22: syntax error; the file is skipped"},
           {"{\"mcpServers\": {}} {\"mcpServers\": {}}", "broken JSON at line 1, column 20: extra data; the file is skipped"},
           {"{\"mcpServers\": {}},", "broken JSON at line 1, column 19: extra data; the file is skipped"},
           {"{\"mcpServers\": {\"a\": {\"command\": \"\xFF\"}}}", "broken JSON at line 1, column 35: syntax error; the file is skipped"},
           {"// all commented out\n// {\"mcpServers\": {}}", "broken JSON at line 2, column 22: incomplete JSON; the file is skipped"},
           {"{\"mcpServers\": {} /* no end }", "broken JSON at line 1, column 19: a comment without an end; the file is skipped"},
           {"# a comment of another language\n{\"mcpServers\": {}}", "broken JSON at line 1, column 1: syntax error; the file is skipped"},
           {"{\"mcpServers\": {\"a\": {\"args\": [\"x\" \"y\"]}}}", "broken JSON at line 1, column 36: syntax error; the file is skipped"},
           {"<html>404</html>", "broken JSON at line 1, column 1: syntax error; the file is skipped"},
           {"\xFF\xFE{\0}\0", "is UTF-16; save it as UTF-8; the file is skipped"},
           {"\xEF\xBB\xBF{\"mcpServers\": x}", "broken JSON at line 1, column 16: syntax error; the file is skipped"},
         });
}

TEST_F(broken_servers_test, json_of_another_kind) {
  expect(
    "project/.mcp.json",
    {
      {"[]", "line 1, column 1: expected an object of servers, not a list; the file is skipped"},
      {"5", "line 1, column 1: expected an object of servers, not 5; the file is skipped"},
      {"null", "line 1, column 1: expected an object of servers, not null; the file is skipped"},
      {"\"mcpServers\"", "line 1, column 1: expected an object of servers, not a string; the file is skipped"},
      {"{\"mcpServers\": []}", "line 1, column 2: 'mcpServers' must be an object of servers, not a list; the file is skipped"},
      {"{\"mcpServers\": null}", "line 1, column 2: 'mcpServers' must be an object of servers, not null; the file is skipped"},
      {"{\n  \"mcpServers\": \"x\"\n}", "line 2, column 3: 'mcpServers' must be an object of servers, not a string; the file is skipped"},
      {"{\"servers\": 5}", "line 1, column 2: 'servers' must be an object of servers, not 5; the file is skipped"},
      {"{\"mcpServers\": {\"\": {\"command\": \"x\"}}}", "line 1, column 17: a server without a name is skipped"},
      {"{\"mcpServers\": {\"a\\u0000b\": {\"command\": \"x\"}}}",
       "line 1, column 17: the name of a server must not hold a NUL character; the entry is skipped"},
      {"{\"mcpServers\": {\"a\": 5}}", "line 1, column 17: server 'a': expected an object, not 5; the entry is skipped"},
      {"{\"mcpServers\": {\"a\": \"npx --token s3cret\"}}", "line 1, column 17: server 'a': expected an object, not a string; the entry is skipped"},
      {"{\"mcpServers\": {\"a\": [\"npx\"]}}", "line 1, column 17: server 'a': expected an object, not a list; the entry is skipped"},
      {"{\"mcpServers\": {\"a\": null}}", "line 1, column 17: server 'a': expected an object, not null; the entry is skipped"},
    });
}

TEST_F(broken_servers_test, entries) {
  expect(
    "project/.mcp.json",
    {
      {"{\"mcpServers\": {\n  \"a\": {\"command\": 5}}}", "line 2, column 9: server 'a': 'command' must be a string, not 5; the entry is skipped"},
      {"{\"mcpServers\": {\n  \"a\": {\"command\": [\"npx\"]}}}",
       "line 2, column 9: server 'a': 'command' must be a string, not a list; the entry is skipped"},
      {"{\"mcpServers\": {\n  \"a\": {\"command\": {\"path\": \"s3cret\"}}}}",
       "line 2, column 9: server 'a': 'command' must be a string, not an object; the entry is skipped"},
      {"{\"mcpServers\": {\n  \"a\": {\"command\": \"x\\u0000y\"}}}",
       "line 2, column 9: server 'a': 'command' must not hold a NUL character; the entry is skipped"},
      {"{\"mcpServers\": {\n  \"a\": {\"command\": \"x\", \"args\": \"-y\"}}}",
       "line 2, column 25: server 'a': 'args' must be a list of strings; the entry is skipped"},
      {"{\"mcpServers\": {\n  \"a\": {\"command\": \"x\", \"args\": {\"0\": \"s3cret\"}}}}",
       "line 2, column 25: server 'a': 'args' must be a list of strings; the entry is skipped"},
      {"{\"mcpServers\": {\n  \"a\": {\"command\": \"x\", \"args\": [\"a\",\n8080]}}}",
       "line 3, column 1: server 'a': 'args' must be a list of strings, and holds 8080; the entry is skipped"},
      {"{\"mcpServers\": {\n  \"a\": {\"command\": \"x\", \"args\": [[\"s3cret\"]]}}}",
       "line 2, column 34: server 'a': 'args' must be a list of strings, and holds a list; the entry is skipped"},
      {"{\"mcpServers\": {\n  \"a\": {\"command\": \"x\", \"args\": [\"a\\u0000b\"]}}}",
       "line 2, column 34: server 'a': 'args' must not hold a NUL character; the entry is skipped"},
      {"{\"mcpServers\": {\n  \"a\": {\"command\": \"x\", \"env\": [\"TOKEN=s3cret\"]}}}",
       "line 2, column 25: server 'a': 'env' must be an object of strings; the entry is skipped"},
      {"{\"mcpServers\": {\n  \"a\": {\"command\": \"x\", \"env\": \"TOKEN=s3cret\"}}}",
       "line 2, column 25: server 'a': 'env' must be an object of strings; the entry is skipped"},
      {"{\"mcpServers\": {\n  \"a\": {\"command\": \"x\", \"env\": {\"TOKEN\": {\"v\": \"s3cret\"}}}}}",
       "line 2, column 33: server 'a': 'env.TOKEN' must be a string; the entry is skipped"},
      {"{\"mcpServers\": {\n  \"a\": {\"command\": \"x\", \"env\": {\"TOKEN\": null}}}}",
       "line 2, column 33: server 'a': 'env.TOKEN' must be a string; the entry is skipped"},
      {"{\"mcpServers\": {\n  \"a\": {\"command\": \"x\", \"env\": {\"\": \"s3cret\"}}}}",
       "line 2, column 33: server 'a': 'env.' is no name: it is empty, or holds '=' or a NUL character; the entry is skipped"},
      {"{\"mcpServers\": {\n  \"a\": {\"command\": \"x\", \"env\": {\"A=s3cret\": \"\"}}}}",
       "line 2, column 33: server 'a': 'env.A' is no name: it is empty, or holds '=' or a NUL character; the entry is skipped"},
      {"{\"mcpServers\": {\n  \"a\": {\"command\": \"x\", \"env\": {\"A\": \"s3cret\\u0000\"}}}}",
       "line 2, column 33: server 'a': 'env.A' must not hold a NUL character; the entry is skipped"},
      {"{\"mcpServers\": {\n  \"a\": {\"command\": \"x\", \"cwd\": 5}}}",
       "line 2, column 25: server 'a': 'cwd' must be a string, not 5; the entry is skipped"},
      {"{\"mcpServers\": {\n  \"a\": {\"command\": \"x\", \"envFile\": [\".env\"]}}}",
       "line 2, column 25: server 'a': 'envFile' must be a string, not a list; the entry is skipped"},
      {"{\"mcpServers\": {\n  \"a\": {\"type\": 5, \"command\": \"x\"}}}",
       "line 2, column 9: server 'a': 'type' must be a string, not 5; the entry is skipped"},
      {"{\"mcpServers\": {\n  \"a\": {\"url\": [\"https://x\"]}}}",
       "line 2, column 9: server 'a': 'url' must be a string, not a list; the entry is skipped"},
      {"{\"mcpServers\": {\n  \"a\": {\"url\": \"https://x\", \"headers\": [\"Authorization: s3cret\"]}}}",
       "line 2, column 29: server 'a': 'headers' must be an object of strings; the entry is skipped"},
      {"{\"mcpServers\": {\n  \"a\": {\"url\": \"https://x\", \"headers\": {\"Authorization\": [\"s3cret\"]}}}}",
       "line 2, column 41: server 'a': 'headers.Authorization' must be a string; the entry is skipped"},
      {"{\"mcpServers\": {\n  \"a\": {\"command\": \"x\", \"disabled\": \"yes\"}}}",
       "line 2, column 25: server 'a': 'disabled' must be true or false, not \"yes\"; it counts as true"},
      {"{\"mcpServers\": {\n  \"a\": {\"command\": \"x\", \"enabled\": 0}}}",
       "line 2, column 25: server 'a': 'enabled' must be true or false, not 0; it counts as false"},
      {"{\"mcpServers\": {\"a\n\": {\"command\": 5}}}", "broken JSON at line 1, column 19: syntax error; the file is skipped"},
      {"{\"mcpServers\": {\"a.b[0]\": {\"command\": \"x\",\n\"cwd\": 5}}}",
       "line 2, column 1: server 'a.b[0]': 'cwd' must be a string, not 5; the entry is skipped"},
    });
}

TEST_F(broken_servers_test, keys_of_ours) {
  expect(
    "project/.mcp.json",
    {
      {"{\"mcpServers\": {\"a\": {\"command\": \"x\",\n\"includeTools\": \"read\"}}}",
       "line 2, column 1: server 'a': 'includeTools' must be a list of names of tools; the entry is skipped"},
      {"{\"mcpServers\": {\"a\": {\"command\": \"x\",\n\"includeTools\": null}}}",
       "line 2, column 1: server 'a': 'includeTools' must be a list of names of tools; the entry is skipped"},
      {"{\"mcpServers\": {\"a\": {\"command\": \"x\",\n\"includeTools\": {\"read\": true}}}}",
       "line 2, column 1: server 'a': 'includeTools' must be a list of names of tools; the entry is skipped"},
      {"{\"mcpServers\": {\"a\": {\"command\": \"x\",\n\"includeTools\": [\"read\", 5]}}}",
       "line 2, column 26: server 'a': 'includeTools' must be a list of names of tools, and holds 5; the entry is skipped"},
      {"{\"mcpServers\": {\"a\": {\"command\": \"x\",\n\"includeTools\": [\"\"]}}}",
       "line 2, column 18: server 'a': 'includeTools' must be a list of names of tools, and holds \"\"; the entry is skipped"},
      {"{\"mcpServers\": {\"a\": {\"command\": \"x\",\n\"excludeTools\": true}}}",
       "line 2, column 1: server 'a': 'excludeTools' must be a list of names of tools; the entry is skipped"},
      {"{\"mcpServers\": {\"a\": {\"command\": \"x\",\n\"excludeTools\": [[\"x\"]]}}}",
       "line 2, column 18: server 'a': 'excludeTools' must be a list of names of tools, and holds a list; the entry is skipped"},
      {"{\"mcpServers\": {\"a\": {\"command\": \"x\",\n\"disabledTools\": \"x\"}}}",
       "line 2, column 1: server 'a': 'disabledTools' must be a list of names of tools; the entry is skipped"},
      {"{\"mcpServers\": {\"a\": {\"command\": \"x\", \"includeTools\": [],\n\"enabled_tools\": []}}}",
       "line 2, column 1: server 'a': 'includeTools' and 'enabled_tools' are both given; remove one of the two; the entry is skipped"},
      {"{\"mcpServers\": {\"a\": {\"command\": \"x\",\n\"rateLimit\": \"30/min\"}}}",
       "line 2, column 1: server 'a': 'rateLimit' must be an object {maxRequests, windowMs}, or a number for one minute, not \"30/min\"; the entry "
       "is skipped"},
      {"{\"mcpServers\": {\"a\": {\"command\": \"x\",\n\"rateLimit\": 0}}}",
       "line 2, column 1: server 'a': 'rateLimit' must be an integer from 1 to 1000000, not 0; the entry is skipped"},
      {"{\"mcpServers\": {\"a\": {\"command\": \"x\",\n\"rateLimit\": -1}}}",
       "line 2, column 1: server 'a': 'rateLimit' must be an integer from 1 to 1000000, not -1; the entry is skipped"},
      {"{\"mcpServers\": {\"a\": {\"command\": \"x\",\n\"rateLimit\": 1.5}}}",
       "line 2, column 1: server 'a': 'rateLimit' must be an integer from 1 to 1000000, not 1.5; the entry is skipped"},
      {"{\"mcpServers\": {\"a\": {\"command\": \"x\",\n\"rateLimit\": {}}}}",
       "line 2, column 1: server 'a': 'rateLimit' has no 'maxRequests'; the entry is skipped"},
      {"{\"mcpServers\": {\"a\": {\"command\": \"x\",\n\"rateLimit\": {\"windowMs\": 1000}}}}",
       "line 2, column 1: server 'a': 'rateLimit' has no 'maxRequests'; the entry is skipped"},
      {"{\"mcpServers\": {\"a\": {\"command\": \"x\",\n\"rateLimit\": {\"maxRequests\": \"5\"}}}}",
       "line 2, column 15: server 'a': 'rateLimit.maxRequests' must be an integer from 1 to 1000000, not \"5\"; the entry is skipped"},
      {"{\"mcpServers\": {\"a\": {\"command\": \"x\",\n\"rateLimit\": {\"maxRequests\": 5, \"windowMs\": 1}}}}",
       "line 2, column 33: server 'a': 'rateLimit.windowMs' must be an integer from 1000 to 86400000, not 1; the entry is skipped"},
      {"{\"mcpServers\": {\"a\": {\"command\": \"x\",\n\"rateLimit\": {\"maxRequest\": 5}}}}",
       "line 2, column 15: server 'a': 'rateLimit.maxRequest' is not known; 'rateLimit' has 'maxRequests' and 'windowMs'; the entry is skipped"},
      {"{\"mcpServers\": {\"a\": {\"command\": \"x\",\n\"timeoutMs\": \"30s\"}}}",
       "line 2, column 1: server 'a': 'timeoutMs' must be an integer from 1 to 86400000, not \"30s\"; the entry is skipped"},
      {"{\"mcpServers\": {\"a\": {\"command\": \"x\",\n\"timeoutMs\": 0}}}",
       "line 2, column 1: server 'a': 'timeoutMs' must be an integer from 1 to 86400000, not 0; the entry is skipped"},
      {"{\"mcpServers\": {\"a\": {\"command\": \"x\",\n\"timeoutMs\": 86400001}}}",
       "line 2, column 1: server 'a': 'timeoutMs' must be an integer from 1 to 86400000, not 86400001; the entry is skipped"},
      {"{\"mcpServers\": {\"a\": {\"command\": \"x\",\n\"timeoutMs\": null}}}",
       "line 2, column 1: server 'a': 'timeoutMs' must be an integer from 1 to 86400000, not null; the entry is skipped"},
      {"{\"mcpServers\": {\"a\": {\"command\": \"x\",\n\"maxConcurrent\": 0}}}",
       "line 2, column 1: server 'a': 'maxConcurrent' must be an integer from 1 to 10000, not 0; the entry is skipped"},
      {"{\"mcpServers\": {\"a\": {\"command\": \"x\",\n\"maxConcurrent\": true}}}",
       "line 2, column 1: server 'a': 'maxConcurrent' must be an integer from 1 to 10000, not true; the entry is skipped"},
      {"{\"mcpServers\": {\"a\": {\"command\": \"x\",\n\"maxConcurrent\": 1e300}}}",
       "line 2, column 1: server 'a': 'maxConcurrent' must be an integer from 1 to 10000, not 1e+300; the entry is skipped"},
      {"{\"mcpServers\": {\"a\": {\"command\": \"x\",\n\"idleTimeout\": \"soon\"}}}",
       "line 2, column 1: server 'a': 'idleTimeout' must be a time from 1s to 168h, such as \"10m\" or plain seconds, not \"soon\"; the entry is "
       "skipped"},
      {"{\"mcpServers\": {\"a\": {\"command\": \"x\",\n\"idleTimeout\": 0}}}",
       "line 2, column 1: server 'a': 'idleTimeout' must be a time from 1s to 168h, such as \"10m\" or plain seconds, not 0; the entry is skipped"},
      {"{\"mcpServers\": {\"a\": {\"command\": \"x\",\n\"idleTimeout\": \"8d\"}}}",
       "line 2, column 1: server 'a': 'idleTimeout' must be a time from 1s to 168h, such as \"10m\" or plain seconds, not \"8d\"; the entry is "
       "skipped"},
      {"{\"mcpServers\": {\"a\": {\"command\": \"x\",\n\"idleTimeout\": [10]}}}",
       "line 2, column 1: server 'a': 'idleTimeout' must be a time from 1s to 168h, such as \"10m\" or plain seconds, not a list; the entry is "
       "skipped"},
      {"{\"mcpServers\": {\"a\": {\"command\": \"x\",\n\"eager\": \"true\"}}}",
       "line 2, column 1: server 'a': 'eager' must be true or false, not \"true\"; the entry is skipped"},
      {"{\"mcpServers\": {\"a\": {\"command\": \"x\",\n\"eager\": 1}}}",
       "line 2, column 1: server 'a': 'eager' must be true or false, not 1; the entry is skipped"},
    });
}

TEST_F(broken_servers_test, toml_that_is_none) {
  expect(
    "home/.codex/config.toml",
    {
      {"mcp_servers", "broken TOML at line 1, column 12: Error while parsing key-value pair: encountered end-of-file; the file is skipped"},
      {"[mcp_servers.a", "broken TOML at line 1, column 15: Error while parsing table header: encountered end-of-file; the file is skipped"},
      {"[mcp_servers.a]\ncommand",
       "broken TOML at line 2, column 8: Error while parsing key-value pair: encountered end-of-file; the file is skipped"},
      {"[mcp_servers.a]\ncommand =",
       "broken TOML at line 2, column 10: Error while parsing key-value pair: encountered end-of-file; the file is skipped"},
      {"[mcp_servers.a]\ncommand = npx",
       "broken TOML at line 2, column 12: Error while parsing floating-point: expected 'nan', saw 'np'; the file is skipped"},
      {"[mcp_servers.a]\ncommand = \"npx",
       "broken TOML at line 2, column 15: Error while parsing string: encountered end-of-file; the file is skipped"},
      {"[mcp_servers.a]\ncommand = \"C:\\dir\"",
       "broken TOML at line 2, column 15: Error while parsing string: unknown escape sequence '\\d'; the file is skipped"},
      {"[mcp_servers.a]\nargs = [\"x\"", "broken TOML at line 2, column 12: Error while parsing array: encountered end-of-file; the file is skipped"},
      {"[mcp_servers.a]\nargs = [\"x\" \"y\"]",
       "broken TOML at line 2, column 13: Error while parsing array: expected comma or closing ']', saw '\"'; the file is skipped"},
      {"[mcp_servers.a]\ncommand = 'x'\ncommand = 'y'",
       "broken TOML at line 3, column 11: Error while parsing key-value pair: cannot redefine existing string 'command'; the file is skipped"},
      {"[mcp_servers.a]\n[mcp_servers.a]",
       "broken TOML at line 2, column 1: Error while parsing table header: cannot redefine existing table 'mcp_servers.a'; the file is skipped"},
      {"[mcp_servers.a]\nenv = {A = 'x'\n}",
       "broken TOML at line 2, column 15: Error while parsing inline table: expected key or closing '}', saw '\\n'; the file is skipped"},
      {"[mcp_servers.a]\nenabled = True",
       "broken TOML at line 2, column 11: Error while parsing boolean: expected 'true', saw 'T'; the file is skipped"},
      {"[mcp_servers.a]\nport = 08",
       "broken TOML at line 2, column 10: Error while parsing decimal integer: leading zeroes are prohibited; the file is skipped"},
      {"[mcp_servers.my server]", "broken TOML at line 1, column 17: Error while parsing table header: expected ']', saw 's'; the file is skipped"},
      {"{\"mcp_servers\": {}}", "broken TOML at line 1, column 1: Error while parsing root table: expected keys, tables, whitespace or comments, saw "
                                "'{'; the file is skipped"},
      {"a = 1 b = 2",
       "broken TOML at line 1, column 7: Error while parsing key-value pair: expected a comment or whitespace, saw 'b'; the file is skipped"},
      {"a = '\xFF'", "broken TOML at line 1, column 5: Encountered invalid utf-8 sequence; the file is skipped"},
      {"a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q.r.s.t.u.v.w.x.y.z.a.b.c.d.e.f.g.h = 1",
       "broken TOML at line 1, column 64: a key of more than 32 parts; the file is skipped"},
      {"a = [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]",
       "broken TOML at line 1, column 37: Error while parsing value: exceeded maximum nested value depth of 32; the file is skipped"},
    });
}

TEST_F(broken_servers_test, toml_of_another_kind) {
  expect("home/.codex/config.toml",
         {
           {"mcp_servers = 5", "line 1, column 1: 'mcp_servers' must be an object of servers, not 5; the file is skipped"},
           {"[mcp_servers]\na = 5", "line 2, column 1: server 'a': expected an object, not 5; the entry is skipped"},
           {"[[mcp_servers]]\ncommand = 'x'", "line 1, column 1: a server must be an object with a 'name'; the entry is skipped"},
           {"[mcp_servers.a]\ncommand = 'x'\nargs = '-y'", "line 3, column 1: server 'a': 'args' must be a list of strings; the entry is skipped"},
           {"[mcp_servers.a]\ncommand = 'x'\nargs = ['é', 1.5]",
            "line 3, column 15: server 'a': 'args' must be a list of strings, and holds 1.5; the entry is skipped"},
           {"[mcp_servers.a]\ncommand = 'x'\nenv = ['TOKEN=s3cret']",
            "line 3, column 1: server 'a': 'env' must be an object of strings; the entry is skipped"},
           {"[mcp_servers.a]\ncommand = 'x'\nenv_vars = 'TOKEN'",
            "line 3, column 1: server 'a': 'env_vars' must be a list of strings; the entry is skipped"},
           {"[mcp_servers.a]\ncommand = 'x'\nenabled_tools = 'read'",
            "line 3, column 1: server 'a': 'enabled_tools' must be a list of names of tools; the entry is skipped"},
           {"[mcp_servers.a]\ncommand = 'x'\nenabled_tools = ['a', 1]",
            "line 3, column 23: server 'a': 'enabled_tools' must be a list of names of tools, and holds 1; the entry is skipped"},
           {"[mcp_servers.a]\ncommand = 'x'\n  rateLimit = 'x'", "line 3, column 3: server 'a': 'rateLimit' must be an object {maxRequests, "
                                                                 "windowMs}, or a number for one minute, not \"x\"; the entry is skipped"},
           {"[mcp_servers.a]\ncommand = 'x'\n[mcp_servers.a.rateLimit]\nmaxRequests = 5\nwindowMs = 'x'",
            "line 5, column 1: server 'a': 'rateLimit.windowMs' must be an integer from 1000 to 86400000, not \"x\"; the entry is skipped"},
           {"[mcp_servers.'']\ncommand = 'x'", "line 1, column 14: a server without a name is skipped"},
         });
}

TEST_F(broken_servers_test, yaml_that_is_none) {
  expect(
    "home/.config/goose/config.yaml",
    {
      {"extensions: {", "broken YAML at line 1, column 14: did not find expected node content while parsing a flow node; the file is skipped"},
      {"extensions: [a", "broken YAML at line 1, column 15: did not find expected ',' or ']' while parsing a flow sequence; the file is skipped"},
      {"extensions:\n  a:\n   cmd: x\n  \tb: y",
       "broken YAML at line 4, column 3: found a tab character that violates indentation while scanning a plain scalar; the file is skipped"},
      {"extensions:\n  a: cmd: x", "broken YAML at line 2, column 9: mapping values are not allowed in this context; the file is skipped"},
      {"extensions:\n  a:\n    cmd: \"x",
       "broken YAML at line 3, column 12: found unexpected end of stream while scanning a quoted scalar; the file is skipped"},
      {"extensions:\n  a:\n    cmd: x\n   args: []",
       "broken YAML at line 4, column 4: did not find expected key while parsing a block mapping; the file is skipped"},
      {"extensions:\n  a:\n    cmd: x\n    cmd: y", "broken YAML at line 4, column 5: a key that is given twice; the file is skipped"},
      {"extensions:\n  a: *unknown", "broken YAML at line 2, column 6: an alias of an unknown anchor; the file is skipped"},
      {"extensions: &a [*a]", "broken YAML at line 1, column 17: an alias of an unknown anchor; the file is skipped"},
      {"extensions:\n  [1, 2]: x", "broken YAML at line 2, column 3: a key that is no text; the file is skipped"},
      {"--- {}\n--- {}", "broken YAML at line 2, column 1: a second document; there must be one only; the file is skipped"},
      {"extensions:\n  a:\n    cmd: @x",
       "broken YAML at line 3, column 10: found character that cannot start any token while scanning for the next token; the file is skipped"},
      {"extensions:\n  a:\n    cmd: %x",
       "broken YAML at line 3, column 10: found character that cannot start any token while scanning for the next token; the file is skipped"},
      {"extensions: \"\\q\"", "broken YAML at line 1, column 14: found unknown escape character while parsing a quoted scalar; the file is skipped"},
      {"a: '\xFF'", "broken YAML at line 1, column 5: invalid leading UTF-8 octet; the file is skipped"},
      {"a: \x01", "broken YAML at line 1, column 4: control characters are not allowed; the file is skipped"},
      {"a: &x [l,l,l,l,l,l,l,l,l,l]\nb: &y [*x,*x,*x,*x,*x,*x,*x,*x,*x,*x]\nc: &z [*y,*y,*y,*y,*y,*y,*y,*y,*y,*y]\n"
       "d: &q [*z,*z,*z,*z,*z,*z,*z,*z,*z,*z]\ne: [*q,*q,*q,*q,*q,*q,*q,*q,*q,*q]",
       "broken YAML at line 5, column 23: more than 100000 values, aliases counted by what they stand for; the file is skipped"},
    });
}

TEST_F(broken_servers_test, yaml_of_another_kind) {
  expect(
    "home/.config/goose/config.yaml",
    {
      {"just a text", "line 1, column 1: expected an object of servers, not a string; the file is skipped"},
      {"- a\n- b", "line 1, column 1: expected an object of servers, not a list; the file is skipped"},
      {"extensions: 5", "line 1, column 1: 'extensions' must be an object of servers, not 5; the file is skipped"},
      {"extensions:\n  - cmd: x", "line 2, column 5: a server must be an object with a 'name'; the entry is skipped"},
      {"extensions:\n  a: x", "line 2, column 3: server 'a': expected an object, not a string; the entry is skipped"},
      {"extensions:\n  a:\n    cmd: 5", "line 3, column 5: server 'a': 'cmd' must be a string, not 5; the entry is skipped"},
      {"extensions:\n  a:\n    cmd: x\n    args: -y", "line 4, column 5: server 'a': 'args' must be a list of strings; the entry is skipped"},
      {"extensions:\n  a:\n    cmd: x\n    args:\n      - é\n      - 8080",
       "line 6, column 9: server 'a': 'args' must be a list of strings, and holds 8080; the entry is skipped"},
      {"extensions:\n  a:\n    cmd: x\n    envs: [TOKEN=s3cret]",
       "line 4, column 5: server 'a': 'envs' must be an object of strings; the entry is skipped"},
      {"extensions:\n  a:\n    cmd: x\n    envs:\n      TOKEN:\n        - s3cret",
       "line 5, column 7: server 'a': 'envs.TOKEN' must be a string; the entry is skipped"},
      {"extensions:\n  a:\n    cmd: x\n    available_tools: read",
       "line 4, column 5: server 'a': 'available_tools' must be a list of names of tools; the entry is skipped"},
      {"extensions:\n  a:\n    cmd: x\n    includeTools:",
       "line 4, column 5: server 'a': 'includeTools' must be a list of names of tools; the entry is skipped"},
      {"extensions:\n  a:\n    cmd: x\n    idleTimeout: 1.50", "line 4, column 5: server 'a': 'idleTimeout' must be a time from 1s to 168h, such as "
                                                               "\"10m\" or plain seconds, not \"1.50\"; the entry is skipped"},
      {"extensions:\n  a:\n    cmd: x\n    eager: yes",
       "line 4, column 5: server 'a': 'eager' must be true or false, not \"yes\"; the entry is skipped"},
      {"extensions:\n  a:\n    cmd: x\n    enabled: no",
       "line 4, column 5: server 'a': 'enabled' must be true or false, not \"no\"; it counts as false"},
      {"extensions:\n  a: {cmd: x, rateLimit: {maxRequests: 1, window: 5}}",
       "line 2, column 43: server 'a': 'rateLimit.window' is not known; 'rateLimit' has 'maxRequests' and 'windowMs'; the entry is skipped"},
    });
}

} // namespace config_broken_servers_test
