// A corpus of JSON that people get wrong.
#include "tests/unit/config/broken_servers_fixture.hpp"

namespace config_broken_servers_test {

TEST_F(broken_servers_test, json_that_is_none) {
  expect(
    "project/.mcp.json",
    {
      {"", "broken JSON at line 1, column 1: incomplete JSON; the file is skipped"},
      {" \n\n", "broken JSON at line 3, column 1: incomplete JSON; the file is skipped"},
      {"mcpServers", "broken JSON at line 1, column 1: syntax error; the file is skipped"},
      {"{", "broken JSON at line 1, column 2: incomplete JSON; the file is skipped"},
      {"{\"mcpServers\"", "broken JSON at line 1, column 14: incomplete JSON; the file is skipped"},
      {"{\"mcpServers\": {", "broken JSON at line 1, column 17: incomplete JSON; the file is skipped"},
      {"{\"mcpServers\": {\"a\": {\"command\": \"x}}}",
       "broken JSON at line 1, column 39: incomplete JSON; the file is skipped"},
      {"{'mcpServers': {}}", "broken JSON at line 1, column 2: syntax error; the file is skipped"},
      {"{mcpServers: {}}", "broken JSON at line 1, column 2: syntax error; the file is skipped"},
      {"{\"mcpServers\": {\"a\": {\"command\" \"x\"}}}",
       "broken JSON at line 1, column 33: syntax error; the file is skipped"},
      {"{\n  \"mcpServers\": {\n    \"a\": {\"command\": \"x\"}\n    \"b\": {\"command\": \"x\"}\n  }\n}",
       "broken JSON at line 4, column 5: syntax error; the file is skipped"},
      {"{\"mcpServers\": {\"a\": {\"command\": \"x\",,}}}",
       "broken JSON at line 1, column 38: syntax error; the file is skipped"},
      {"{\"mcpServers\": {\"a\": {\"command\": \"C:\\dir\"}}}",
       "broken JSON at line 1, column 38: syntax error; the file is skipped"},
      {"{\"mcpServers\": {\"a\": {\"command\": \"two\nlines\"}}}",
       "broken JSON at line 1, column 38: syntax error; the file is skipped"},
      {"{\"mcpServers\": {\"a\": {\"disabled\": True}}}",
       "broken JSON at line 1, column 35: syntax error; the file is skipped"},
      {"{\"mcpServers\": {\"a\": {\"timeout\": 05}}}",
       "broken JSON at line 1, column 35: syntax error; the file is skipped"},
      {"{\"mcpServers\": {\"a\": {\"timeout\": .5}}}",
       "broken JSON at line 1, column 34: syntax error; the file is skipped"},
      {"{\"mcpServers\": {\"a\": {\"timeout\": NaN}}}",
       "broken JSON at line 1, column 34: syntax error; the file is skipped"},
      {"{\"mcpServers\": {\"a\": undefined}}", "broken JSON at line 1, column 22: syntax error; the file is skipped"},
      {"{\"mcpServers\": {}} {\"mcpServers\": {}}",
       "broken JSON at line 1, column 20: extra data; the file is skipped"},
      {"{\"mcpServers\": {}},", "broken JSON at line 1, column 19: extra data; the file is skipped"},
      {"{\"mcpServers\": {\"a\": {\"command\": \"\xFF\"}}}",
       "broken JSON at line 1, column 35: syntax error; the file is skipped"},
      {"// all commented out\n// {\"mcpServers\": {}}",
       "broken JSON at line 2, column 22: incomplete JSON; the file is skipped"},
      {"{\"mcpServers\": {} /* no end }",
       "broken JSON at line 1, column 19: a comment without an end; the file is skipped"},
      {"# a comment of another language\n{\"mcpServers\": {}}",
       "broken JSON at line 1, column 1: syntax error; the file is skipped"},
      {"{\"mcpServers\": {\"a\": {\"args\": [\"x\" \"y\"]}}}",
       "broken JSON at line 1, column 36: syntax error; the file is skipped"},
      {"<html>404</html>", "broken JSON at line 1, column 1: syntax error; the file is skipped"},
      {"\xFF\xFE{\0}\0", "is UTF-16; save it as UTF-8; the file is skipped"},
      {"\xEF\xBB\xBF{\"mcpServers\": x}", "broken JSON at line 1, column 16: syntax error; the file is skipped"},
    });
}

TEST_F(broken_servers_test, json_of_another_kind) {
  expect("project/.mcp.json",
         {
           {"[]", "line 1, column 1: expected an object of servers, not a list; the file is skipped"},
           {"5", "line 1, column 1: expected an object of servers, not 5; the file is skipped"},
           {"null", "line 1, column 1: expected an object of servers, not null; the file is skipped"},
           {"\"mcpServers\"", "line 1, column 1: expected an object of servers, not a string; the file is skipped"},
           {"{\"mcpServers\": []}",
            "line 1, column 2: 'mcpServers' must be an object of servers, not a list; the file is skipped"},
           {"{\"mcpServers\": null}",
            "line 1, column 2: 'mcpServers' must be an object of servers, not null; the file is skipped"},
           {"{\n  \"mcpServers\": \"x\"\n}",
            "line 2, column 3: 'mcpServers' must be an object of servers, not a string; the file is skipped"},
           {"{\"servers\": 5}", "line 1, column 2: 'servers' must be an object of servers, not 5; the file is skipped"},
           {"{\"mcpServers\": {\"\": {\"command\": \"x\"}}}", "line 1, column 17: a server without a name is skipped"},
           {"{\"mcpServers\": {\"a\\u0000b\": {\"command\": \"x\"}}}",
            "line 1, column 17: the name of a server must not hold a NUL character; the entry is skipped"},
           {"{\"mcpServers\": {\"a\": 5}}",
            "line 1, column 17: server 'a': expected an object, not 5; the entry is skipped"},
           {"{\"mcpServers\": {\"a\": \"npx --token s3cret\"}}",
            "line 1, column 17: server 'a': expected an object, not a string; the entry is skipped"},
           {"{\"mcpServers\": {\"a\": [\"npx\"]}}",
            "line 1, column 17: server 'a': expected an object, not a list; the entry is skipped"},
           {"{\"mcpServers\": {\"a\": null}}",
            "line 1, column 17: server 'a': expected an object, not null; the entry is skipped"},
         });
}

TEST_F(broken_servers_test, entries) {
  expect("project/.mcp.json",
         {
           {"{\"mcpServers\": {\n  \"a\": {\"command\": 5}}}",
            "line 2, column 9: server 'a': 'command' must be a string, not 5; the entry is skipped"},
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
            "line 2, column 33: server 'a': 'env.' is no name: it is empty, or holds '=' or a NUL character; the entry "
            "is skipped"},
           {"{\"mcpServers\": {\n  \"a\": {\"command\": \"x\", \"env\": {\"A=s3cret\": \"\"}}}}",
            "line 2, column 33: server 'a': 'env.A' is no name: it is empty, or holds '=' or a NUL character; the "
            "entry is skipped"},
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
           {"{\"mcpServers\": {\"a\n\": {\"command\": 5}}}",
            "broken JSON at line 1, column 19: syntax error; the file is skipped"},
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
       "line 2, column 26: server 'a': 'includeTools' must be a list of names of tools, and holds 5; the entry is "
       "skipped"},
      {"{\"mcpServers\": {\"a\": {\"command\": \"x\",\n\"includeTools\": [\"\"]}}}",
       "line 2, column 18: server 'a': 'includeTools' must be a list of names of tools, and holds \"\"; the entry is "
       "skipped"},
      {"{\"mcpServers\": {\"a\": {\"command\": \"x\",\n\"excludeTools\": true}}}",
       "line 2, column 1: server 'a': 'excludeTools' must be a list of names of tools; the entry is skipped"},
      {"{\"mcpServers\": {\"a\": {\"command\": \"x\",\n\"excludeTools\": [[\"x\"]]}}}",
       "line 2, column 18: server 'a': 'excludeTools' must be a list of names of tools, and holds a list; the entry is "
       "skipped"},
      {"{\"mcpServers\": {\"a\": {\"command\": \"x\",\n\"disabledTools\": \"x\"}}}",
       "line 2, column 1: server 'a': 'disabledTools' must be a list of names of tools; the entry is skipped"},
      {"{\"mcpServers\": {\"a\": {\"command\": \"x\", \"includeTools\": [],\n\"enabled_tools\": []}}}",
       "line 2, column 1: server 'a': 'includeTools' and 'enabled_tools' are both given; remove one of the two; the "
       "entry is skipped"},
      {"{\"mcpServers\": {\"a\": {\"command\": \"x\",\n\"rateLimit\": \"30/min\"}}}",
       "line 2, column 1: server 'a': 'rateLimit' must be an object {maxRequests, windowMs}, or a number for one "
       "minute, not \"30/min\"; the entry "
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
       "line 2, column 15: server 'a': 'rateLimit.maxRequests' must be an integer from 1 to 1000000, not \"5\"; the "
       "entry is skipped"},
      {"{\"mcpServers\": {\"a\": {\"command\": \"x\",\n\"rateLimit\": {\"maxRequests\": 5, \"windowMs\": 1}}}}",
       "line 2, column 33: server 'a': 'rateLimit.windowMs' must be an integer from 1000 to 86400000, not 1; the entry "
       "is skipped"},
      {"{\"mcpServers\": {\"a\": {\"command\": \"x\",\n\"rateLimit\": {\"maxRequest\": 5}}}}",
       "line 2, column 15: server 'a': 'rateLimit.maxRequest' is not known; 'rateLimit' has 'maxRequests' and "
       "'windowMs'; the entry is skipped"},
      {"{\"mcpServers\": {\"a\": {\"command\": \"x\",\n\"timeoutMs\": \"30s\"}}}",
       "line 2, column 1: server 'a': 'timeoutMs' must be an integer from 1 to 86400000, not \"30s\"; the entry is "
       "skipped"},
      {"{\"mcpServers\": {\"a\": {\"command\": \"x\",\n\"timeoutMs\": 0}}}",
       "line 2, column 1: server 'a': 'timeoutMs' must be an integer from 1 to 86400000, not 0; the entry is skipped"},
      {"{\"mcpServers\": {\"a\": {\"command\": \"x\",\n\"timeoutMs\": 86400001}}}",
       "line 2, column 1: server 'a': 'timeoutMs' must be an integer from 1 to 86400000, not 86400001; the entry is "
       "skipped"},
      {"{\"mcpServers\": {\"a\": {\"command\": \"x\",\n\"timeoutMs\": null}}}",
       "line 2, column 1: server 'a': 'timeoutMs' must be an integer from 1 to 86400000, not null; the entry is "
       "skipped"},
      {"{\"mcpServers\": {\"a\": {\"command\": \"x\",\n\"maxConcurrent\": 0}}}",
       "line 2, column 1: server 'a': 'maxConcurrent' must be an integer from 1 to 10000, not 0; the entry is skipped"},
      {"{\"mcpServers\": {\"a\": {\"command\": \"x\",\n\"maxConcurrent\": true}}}",
       "line 2, column 1: server 'a': 'maxConcurrent' must be an integer from 1 to 10000, not true; the entry is "
       "skipped"},
      {"{\"mcpServers\": {\"a\": {\"command\": \"x\",\n\"maxConcurrent\": 1e300}}}",
       "line 2, column 1: server 'a': 'maxConcurrent' must be an integer from 1 to 10000, not 1e+300; the entry is "
       "skipped"},
      {"{\"mcpServers\": {\"a\": {\"command\": \"x\",\n\"idleTimeout\": \"soon\"}}}",
       "line 2, column 1: server 'a': 'idleTimeout' must be a time from 1s to 168h, such as \"10m\" or plain seconds, "
       "not \"soon\"; the entry is "
       "skipped"},
      {"{\"mcpServers\": {\"a\": {\"command\": \"x\",\n\"idleTimeout\": 0}}}",
       "line 2, column 1: server 'a': 'idleTimeout' must be a time from 1s to 168h, such as \"10m\" or plain seconds, "
       "not 0; the entry is skipped"},
      {"{\"mcpServers\": {\"a\": {\"command\": \"x\",\n\"idleTimeout\": \"8d\"}}}",
       "line 2, column 1: server 'a': 'idleTimeout' must be a time from 1s to 168h, such as \"10m\" or plain seconds, "
       "not \"8d\"; the entry is "
       "skipped"},
      {"{\"mcpServers\": {\"a\": {\"command\": \"x\",\n\"idleTimeout\": [10]}}}",
       "line 2, column 1: server 'a': 'idleTimeout' must be a time from 1s to 168h, such as \"10m\" or plain seconds, "
       "not a list; the entry is "
       "skipped"},
      {"{\"mcpServers\": {\"a\": {\"command\": \"x\",\n\"eager\": \"true\"}}}",
       "line 2, column 1: server 'a': 'eager' must be true or false, not \"true\"; the entry is skipped"},
      {"{\"mcpServers\": {\"a\": {\"command\": \"x\",\n\"eager\": 1}}}",
       "line 2, column 1: server 'a': 'eager' must be true or false, not 1; the entry is skipped"},
    });
}

} // namespace config_broken_servers_test
