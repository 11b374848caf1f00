// A corpus of TOML and YAML that people get wrong.
#include "tests/unit/config/broken_servers_fixture.hpp"

namespace config_broken_servers_test {

TEST_F(broken_servers_test, toml_that_is_none) {
  expect(
    "home/.codex/config.toml",
    {
      {"mcp_servers", "broken TOML at line 1, column 12: Error while parsing key-value pair: encountered end-of-file; "
                      "the file is skipped"},
      {"[mcp_servers.a", "broken TOML at line 1, column 15: Error while parsing table header: encountered end-of-file; "
                         "the file is skipped"},
      {"[mcp_servers.a]\ncommand", "broken TOML at line 2, column 8: Error while parsing key-value pair: encountered "
                                   "end-of-file; the file is skipped"},
      {"[mcp_servers.a]\ncommand =", "broken TOML at line 2, column 10: Error while parsing key-value pair: "
                                     "encountered end-of-file; the file is skipped"},
      {"[mcp_servers.a]\ncommand = npx", "broken TOML at line 2, column 12: Error while parsing floating-point: "
                                         "expected 'nan', saw 'np'; the file is skipped"},
      {"[mcp_servers.a]\ncommand = \"npx",
       "broken TOML at line 2, column 15: Error while parsing string: encountered end-of-file; the file is skipped"},
      {"[mcp_servers.a]\ncommand = \"C:\\dir\"", "broken TOML at line 2, column 15: Error while parsing string: "
                                                 "unknown escape sequence '\\d'; the file is skipped"},
      {"[mcp_servers.a]\nargs = [\"x\"",
       "broken TOML at line 2, column 12: Error while parsing array: encountered end-of-file; the file is skipped"},
      {"[mcp_servers.a]\nargs = [\"x\" \"y\"]", "broken TOML at line 2, column 13: Error while parsing array: expected "
                                                "comma or closing ']', saw '\"'; the file is skipped"},
      {"[mcp_servers.a]\ncommand = 'x'\ncommand = 'y'",
       "broken TOML at line 3, column 11: Error while parsing key-value pair: cannot redefine existing string "
       "'command'; the file is skipped"},
      {"[mcp_servers.a]\n[mcp_servers.a]", "broken TOML at line 2, column 1: Error while parsing table header: cannot "
                                           "redefine existing table 'mcp_servers.a'; the file is skipped"},
      {"[mcp_servers.a]\nenv = {A = 'x'\n}", "broken TOML at line 2, column 15: Error while parsing inline table: "
                                             "expected key or closing '}', saw '\\n'; the file is skipped"},
      {"[mcp_servers.a]\nenabled = True",
       "broken TOML at line 2, column 11: Error while parsing boolean: expected 'true', saw 'T'; the file is skipped"},
      {"[mcp_servers.a]\nport = 08", "broken TOML at line 2, column 10: Error while parsing decimal integer: leading "
                                     "zeroes are prohibited; the file is skipped"},
      {"[mcp_servers.my server]", "broken TOML at line 1, column 17: Error while parsing table header: expected ']', "
                                  "saw 's'; the file is skipped"},
      {"{\"mcp_servers\": {}}", "broken TOML at line 1, column 1: Error while parsing root table: expected keys, "
                                "tables, whitespace or comments, saw "
                                "'{'; the file is skipped"},
      {"a = 1 b = 2", "broken TOML at line 1, column 7: Error while parsing key-value pair: expected a comment or "
                      "whitespace, saw 'b'; the file is skipped"},
      {"a = '\xFF'", "broken TOML at line 1, column 5: Encountered invalid utf-8 sequence; the file is skipped"},
      {"a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q.r.s.t.u.v.w.x.y.z.a.b.c.d.e.f.g.h = 1",
       "broken TOML at line 1, column 64: a key of more than 32 parts; the file is skipped"},
      {"a = [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]",
       "broken TOML at line 1, column 37: Error while parsing value: exceeded maximum nested value depth of 32; the "
       "file is skipped"},
    });
}

TEST_F(broken_servers_test, toml_of_another_kind) {
  expect(
    "home/.codex/config.toml",
    {
      {"mcp_servers = 5", "line 1, column 1: 'mcp_servers' must be an object of servers, not 5; the file is skipped"},
      {"[mcp_servers]\na = 5", "line 2, column 1: server 'a': expected an object, not 5; the entry is skipped"},
      {"[[mcp_servers]]\ncommand = 'x'",
       "line 1, column 1: a server must be an object with a 'name'; the entry is skipped"},
      {"[mcp_servers.a]\ncommand = 'x'\nargs = '-y'",
       "line 3, column 1: server 'a': 'args' must be a list of strings; the entry is skipped"},
      {"[mcp_servers.a]\ncommand = 'x'\nargs = ['é', 1.5]",
       "line 3, column 15: server 'a': 'args' must be a list of strings, and holds 1.5; the entry is skipped"},
      {"[mcp_servers.a]\ncommand = 'x'\nenv = ['TOKEN=s3cret']",
       "line 3, column 1: server 'a': 'env' must be an object of strings; the entry is skipped"},
      {"[mcp_servers.a]\ncommand = 'x'\nenv_vars = 'TOKEN'",
       "line 3, column 1: server 'a': 'env_vars' must be a list of strings; the entry is skipped"},
      {"[mcp_servers.a]\ncommand = 'x'\nenabled_tools = 'read'",
       "line 3, column 1: server 'a': 'enabled_tools' must be a list of names of tools; the entry is skipped"},
      {"[mcp_servers.a]\ncommand = 'x'\nenabled_tools = ['a', 1]",
       "line 3, column 23: server 'a': 'enabled_tools' must be a list of names of tools, and holds 1; the entry is "
       "skipped"},
      {"[mcp_servers.a]\ncommand = 'x'\n  rateLimit = 'x'",
       "line 3, column 3: server 'a': 'rateLimit' must be an object {maxRequests, "
       "windowMs}, or a number for one minute, not \"x\"; the entry is skipped"},
      {"[mcp_servers.a]\ncommand = 'x'\n[mcp_servers.a.rateLimit]\nmaxRequests = 5\nwindowMs = 'x'",
       "line 5, column 1: server 'a': 'rateLimit.windowMs' must be an integer from 1000 to 86400000, not \"x\"; the "
       "entry is skipped"},
      {"[mcp_servers.'']\ncommand = 'x'", "line 1, column 14: a server without a name is skipped"},
    });
}

TEST_F(broken_servers_test, yaml_that_is_none) {
  expect(
    "home/.config/goose/config.yaml",
    {
      {"extensions: {", "broken YAML at line 1, column 14: did not find expected node content while parsing a flow "
                        "node; the file is skipped"},
      {"extensions: [a", "broken YAML at line 1, column 15: did not find expected ',' or ']' while parsing a flow "
                         "sequence; the file is skipped"},
      {"extensions:\n  a:\n   cmd: x\n  \tb: y", "broken YAML at line 4, column 3: found a tab character that violates "
                                                 "indentation while scanning a plain scalar; the file is skipped"},
      {"extensions:\n  a: cmd: x",
       "broken YAML at line 2, column 9: mapping values are not allowed in this context; the file is skipped"},
      {"extensions:\n  a:\n    cmd: \"x", "broken YAML at line 3, column 12: found unexpected end of stream while "
                                          "scanning a quoted scalar; the file is skipped"},
      {"extensions:\n  a:\n    cmd: x\n   args: []",
       "broken YAML at line 4, column 4: did not find expected key while parsing a block mapping; the file is skipped"},
      {"extensions:\n  a:\n    cmd: x\n    cmd: y",
       "broken YAML at line 4, column 5: a key that is given twice; the file is skipped"},
      {"extensions:\n  a: *unknown",
       "broken YAML at line 2, column 6: an alias of an unknown anchor; the file is skipped"},
      {"extensions: &a [*a]", "broken YAML at line 1, column 17: an alias of an unknown anchor; the file is skipped"},
      {"extensions:\n  [1, 2]: x", "broken YAML at line 2, column 3: a key that is no text; the file is skipped"},
      {"--- {}\n--- {}",
       "broken YAML at line 2, column 1: a second document; there must be one only; the file is skipped"},
      {"extensions:\n  a:\n    cmd: @x", "broken YAML at line 3, column 10: found character that cannot start any "
                                         "token while scanning for the next token; the file is skipped"},
      {"extensions:\n  a:\n    cmd: %x", "broken YAML at line 3, column 10: found character that cannot start any "
                                         "token while scanning for the next token; the file is skipped"},
      {"extensions: \"\\q\"", "broken YAML at line 1, column 14: found unknown escape character while parsing a quoted "
                              "scalar; the file is skipped"},
      {"a: '\xFF'", "broken YAML at line 1, column 5: invalid leading UTF-8 octet; the file is skipped"},
      {"a: \x01", "broken YAML at line 1, column 4: control characters are not allowed; the file is skipped"},
      {"a: &x [l,l,l,l,l,l,l,l,l,l]\nb: &y [*x,*x,*x,*x,*x,*x,*x,*x,*x,*x]\nc: &z [*y,*y,*y,*y,*y,*y,*y,*y,*y,*y]\n"
       "d: &q [*z,*z,*z,*z,*z,*z,*z,*z,*z,*z]\ne: [*q,*q,*q,*q,*q,*q,*q,*q,*q,*q]",
       "broken YAML at line 5, column 23: more than 100000 values, aliases counted by what they stand for; the file is "
       "skipped"},
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
      {"extensions:\n  a:\n    cmd: 5",
       "line 3, column 5: server 'a': 'cmd' must be a string, not 5; the entry is skipped"},
      {"extensions:\n  a:\n    cmd: x\n    args: -y",
       "line 4, column 5: server 'a': 'args' must be a list of strings; the entry is skipped"},
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
      {"extensions:\n  a:\n    cmd: x\n    idleTimeout: 1.50",
       "line 4, column 5: server 'a': 'idleTimeout' must be a time from 1s to 168h, such as "
       "\"10m\" or plain seconds, not \"1.50\"; the entry is skipped"},
      {"extensions:\n  a:\n    cmd: x\n    eager: yes",
       "line 4, column 5: server 'a': 'eager' must be true or false, not \"yes\"; the entry is skipped"},
      {"extensions:\n  a:\n    cmd: x\n    enabled: no",
       "line 4, column 5: server 'a': 'enabled' must be true or false, not \"no\"; it counts as false"},
      {"extensions:\n  a: {cmd: x, rateLimit: {maxRequests: 1, window: 5}}",
       "line 2, column 43: server 'a': 'rateLimit.window' is not known; 'rateLimit' has 'maxRequests' and 'windowMs'; "
       "the entry is skipped"},
    });
}

} // namespace config_broken_servers_test
