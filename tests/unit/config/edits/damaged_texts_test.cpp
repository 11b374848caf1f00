// Texts that are damaged at random: each is refused, or changed so that it says what was meant.
#include "tests/unit/config/edits/edits_fixture.hpp"

#include <gtest/gtest.h>

#include <random>

namespace config_edits_damaged_test {

using config::file_format;
using edits::entry_list;

struct sample {
  file_format format;
  edits::server_place list;
  const char* text;
};

const sample samples[] = {
  {file_format::json,
   {{"mcpServers"}},
   "// {\n{\n  \"a\": [1, {\"b\": \"\\\"}\"}], /* } */\n  \"mcpServers\": {\n    \"code-executor\": {\"command\": "
   "\"x\"}, // c\n"
   "    \"b\": {\"args\": []},\n  },\r\n\t\"mcpServers\": {\"é\": null}\n}\n"},
  {file_format::json,
   {{"mcp", "servers"}},
   "{\"mcp\":{\"servers\":{\"code-executor\":{},\"b\":1},\"x\":[{},{}]},\"y\":1e5}"},
  {file_format::toml,
   {{"mcp_servers"}},
   "a = 'x' # [mcp_servers]\nb = \"\"\"\n[x]\n\\\"\"\"\"\nc = [\n 1, # ]\n {d = "
   "'}'},\n]\n[mcp_servers.code-executor]\ncommand = "
   "'x'\nenv = {A = \"1\"}\n[mcp_servers.\"b.c\"]\nd.e = 1\n[[z.y]]\n[z.y.w]\nv = 1979-05-27\n"},
  {file_format::toml,
   {{"mcp_servers"}, entry_list::items},
   "[[mcp_servers]]\nname = 'b'\n[mcp_servers.env]\nA = 1\n\n[[mcp_servers]]\nname = \"code-executor\"\nargs = "
   "['''\n[''', "
   "\"\"]\n"},
  {file_format::toml,
   {{"mcp_servers"}},
   "a = 1\nmcp_servers = {code-executor = {command = 'x}', env = {A = \"\\\"1\"}}, b = {args = [1, '''],'''], c.d = "
   "1}} # {\n[z]\n"},
  {file_format::toml,
   {{"mcp_servers"}, entry_list::items},
   "mcp_servers = [ # [\n  {name = 'b'}, # }\n  {name = \"code-executor\", env = {A = 1}},\n\n  {name = 'c'} "
   "]\n[z]\n"},
  {file_format::yaml,
   {{"extensions"}},
   "# é\nextensions:\n  code-executor:\n    cmd: >\n      x: y\n    args:\n    - 'a'\n    - \"b\\\"\"\n  b: &x {a: 1, "
   "c: [2, 3]}\n"
   "  c: *x\nd: |\n  extensions:\n...\n"},
  {file_format::yaml,
   {{"mcpServers"}, entry_list::items},
   "a: {b: [c, d]}\nmcpServers: # {\n  - name: b\n    env: {A: '1'}\n\n  -\n    name: 'code-executor'\n  - command: "
   "z\n    name: c\n"
   "rules: []\n"},
};

class damage {
public:
  explicit damage(unsigned seed) : random_(seed) {}

  std::string done_to(std::string text) {
    for (auto times = below(3) + 1; times > 0; --times) {
      auto at = below(text.size() + 1), length = below(std::min<size_t>(text.size() - at, 8) + 1);
      switch (below(4)) {
        case 0: text.erase(at, length); break;
        case 1: text.insert(at, 1, pieces[below(sizeof pieces - 1)]); break;
        case 2: text.insert(at, text.substr(below(text.size() + 1), below(30))); break;
        default: text.resize(at + length); break;
      }
    }
    return text;
  }

private:
  static constexpr char pieces[] = "{}[]\"'#/*,:=.-\\ \t\r\n|>&*?!~\xC3\0x1";
  size_t below(size_t end) { return end == 0 ? 0 : std::uniform_int_distribution<size_t>{0, end - 1}(random_); }

  std::mt19937 random_;
};

/// What of a text must still be in another, in order: all its lines but those with the names.
bool keeps_the_value(const sample& s, const std::string& before, const std::string& after) {
  auto a = edits::parse_text(s.format, before), b = edits::parse_text(s.format, after);
  if (!a.ok() || !b.ok() || !edits::find_entry(b.value, s.list, "code-executor"))
    return false;
  auto command = edits::find_entry(b.value, s.list, "code-executor")->if_contains("command");
  return command && *command == boost::json::value("/bin/it");
}

TEST(damaged_texts, are_refused_or_changed_as_meant) {
  size_t changed = 0, removed = 0;
  for (unsigned seed = 1; seed <= 2'000; ++seed) {
    damage d{seed};
    auto& s = samples[seed % std::size(samples)];
    auto text = d.done_to(s.text);
    auto entry = s.list.kind == entry_list::items ? test::named_entry() : test::small_entry();
    auto put = edits::put_entry(s.format, text, s.list, "code-executor", entry);
    if (put.ok()) {
      EXPECT_TRUE(keeps_the_value(s, text, put.value.text)) << "seed " << seed << "\n"
                                                            << text << "\n----\n"
                                                            << put.value.text;
      ++changed;
    }
    auto gone = edits::remove_entries(s.format, text, s.list, {"code-executor", "b"});
    if (gone.ok()) {
      auto value = edits::parse_text(s.format, gone.value.text);
      EXPECT_TRUE(value.ok() && !edits::find_entry(value.value, s.list, "code-executor")) << "seed " << seed;
      ++removed;
    }
  }
  EXPECT_GT(changed, 200U);
  EXPECT_GT(removed, 200U);
}

} // namespace config_edits_damaged_test
