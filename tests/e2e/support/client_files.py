"""Files of MCP clients as they are in a home folder: the forms, comments and oddities of each. Every one has a server `other` with a secret."""

SECRET = "s3cr3t-of-the-user"

PLAIN = '{\n  "mcpServers": {\n    "other": {\n      "command": "other-server",\n      "args": ["--stdio"],\n      "env": { "TOKEN": "%s" }\n    }\n  }\n}\n' % SECRET

CLAUDE = """{
  "numStartups": 184,
  "tipsHistory": { "new-user-warmup": 6, "shift-enter": 180 },
  "projects": {
    "/home/you/work": {
      "allowedTools": [],
      "history": [ { "display": "what is in \\"mcpServers\\": { ?", "pastedContents": {} } ],
      "mcpServers": { "local": { "type": "stdio", "command": "local-server", "args": [] } },
      "hasTrustDialogAccepted": true
    }
  },
  "userID": "0123456789abcdef",
  "mcpServers": {
    "other": {
      "type": "stdio",
      "command": "other-server",
      "args": [
        "--stdio"
      ],
      "env": {
        "TOKEN": "%s"
      }
    }
  }
}""" % SECRET  # no end of line, as Claude Code writes it

CODEX = """model = "gpt-5.5-codex"   # the one that I like
approval_policy = "on-request"

[mcp_servers.other]
command = "other-server"
args = ["--stdio"]

[mcp_servers.other.env]
TOKEN = "%s"

# [mcp_servers.code-executor]
# command = "not yet"

[projects."/home/you/work"]
trust_level = "trusted"
""" % SECRET

OPENCODE = """{
  "$schema": "https://opencode.ai/config.json",
  // the theme
  "theme": "opencode",
  "mcp": {
    "other": {
      "type": "local",
      "command": ["other-server", "--stdio"],
      "environment": { "TOKEN": "%s" },
    },
  },
}
""" % SECRET

ZED = """// Zed settings
//
// For information on how to configure Zed, see the Zed
// documentation: https://zed.dev/docs/configuring-zed {
{
\t"context_servers": {
\t\t"other": {
\t\t\t"source": "custom", // mine
\t\t\t"command": "other-server",
\t\t\t"args": ["--stdio"],
\t\t\t"env": { "TOKEN": "%s" }
\t\t}
\t},
\t"ui_font_size": 16,
\t"theme": { "mode": "system", "light": "One Light", "dark": "One Dark" }
}
""" % SECRET

CONTINUE = """name: My Config
version: 1.0.0
schema: v1

models:
  - name: Sonnet
    provider: anthropic
    apiKey: %s # mine
mcpServers:
  - name: other
    command: other-server
    args:
      - --stdio
    env:
      TOKEN: %s
rules: []
""" % (SECRET, SECRET)

GOOSE = """GOOSE_PROVIDER: openai
extensions:
  developer:
    enabled: true
    name: developer
    type: builtin
  other:
    enabled: true
    type: stdio
    name: other
    cmd: other-server
    args:
    - --stdio
    envs:
      TOKEN: %s
    description: |
      extensions:
        code-executor: no
GOOSE_MODEL: gpt-5 # last
""" % SECRET

VIBE = """active_model = "devstral-2"

[[mcp_servers]]
name = "other"
transport = "stdio"
command = "other-server"
args = ["--stdio"]
env = { TOKEN = "%s" }

[tools.bash]
permission = "ask"
""" % SECRET

WINDOWS = "\ufeff" + PLAIN.replace("\n", "\r\n")
ONE_LINE = '{"theme":"dark","mcpServers":{"other":{"command":"other-server","args":["--stdio"],"env":{"TOKEN":"%s"}}}}' % SECRET
TYPED = PLAIN.replace('"mcpServers"', '"servers"').replace('"command"', '"type": "stdio",\n      "command"')

# By the name of the client: the file below the home folder, and its text.
FILES = {
    "claude-code": (".claude.json", CLAUDE),
    "claude-desktop": (".config/Claude/claude_desktop_config.json", PLAIN),
    "codex": (".codex/config.toml", CODEX),
    "gemini": (".gemini/settings.json", ONE_LINE),
    "qwen": (".qwen/settings.json", PLAIN),
    "opencode": (".config/opencode/opencode.jsonc", OPENCODE),
    "copilot": (".copilot/mcp-config.json", PLAIN),
    "continue": (".continue/config.yaml", CONTINUE),
    "cline": (".cline/data/settings/cline_mcp_settings.json", PLAIN),
    "vscode": (".config/Code/User/mcp.json", TYPED),
    "cursor": (".cursor/mcp.json", WINDOWS),
    "windsurf": (".codeium/windsurf/mcp_config.json", PLAIN),
    "zed": (".config/zed/settings.json", ZED),
    "goose": (".config/goose/config.yaml", GOOSE),
    "lm-studio": (".lmstudio/mcp.json", PLAIN),
    "amp": (".config/amp/settings.json", PLAIN.replace("mcpServers", "amp.mcpServers")),
    "crush": (".config/crush/crush.json", PLAIN.replace("mcpServers", "mcp")),
    "vibe": (".vibe/config.toml", VIBE),
}
