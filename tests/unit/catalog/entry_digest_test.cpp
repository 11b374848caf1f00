#include "catalog/entry_digest.hpp"
#include "text/digest.hpp"

#include <gtest/gtest.h>

#include <set>

namespace catalog_digest_test {

using catalog::digest_of;

msg::server_entry some_entry() {
  msg::server_entry e;
  e.name = "fs";
  e.command = "npx";
  e.args = {"-y", "server"};
  e.env = {{"A", "1"}, {"B", "${TOKEN}"}};
  e.cwd = "/d";
  return e;
}

TEST(digest, is_sha_256) {
  EXPECT_EQ(text::digest{}.hex(), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  // of 03 00 00 00 00 00 00 00 61 62 63
  EXPECT_EQ(text::digest{}.add("abc").hex(), "ce91dc5eec0139adf091900d225971d6ad246a845bad791b5693a9d0d55dd391");
}

TEST(digest, tells_neighbours_apart) {
  EXPECT_NE(text::digest{}.add("ab").add("c").hex(), text::digest{}.add("a").add("bc").hex());
  EXPECT_NE(text::digest{}.add("").hex(), text::digest{}.hex());
}

TEST(digest, an_edited_entry_has_another) {
  std::set<std::string> all{digest_of(some_entry())};
  auto expect_new = [&](auto change) {
    auto e = some_entry();
    change(e);
    EXPECT_TRUE(all.insert(digest_of(e)).second) << "change " << all.size();
  };
  expect_new([](auto& e) { e.name = "Fs"; });
  expect_new([](auto& e) { e.command = "npx2"; });
  expect_new([](auto& e) { e.args = {"-y server"}; });
  expect_new([](auto& e) { e.args = {"server", "-y"}; });
  expect_new([](auto& e) { e.args.pop_back(); });
  expect_new([](auto& e) { e.env[0].second = "2"; });
  expect_new([](auto& e) { e.env[0].first = "C"; });
  expect_new([](auto& e) { e.env.clear(); });
  expect_new([](auto& e) { e.cwd.clear(); });
  expect_new([](auto& e) { e.args.push_back("A"), e.env.erase(e.env.begin()); });
  expect_new([](auto& e) { e.syntax = msg::variable_syntax::none; });
  expect_new([](auto& e) { e.syntax = msg::variable_syntax::editor; });
  expect_new([](auto& e) { e.syntax = msg::variable_syntax::editor, e.workspace = "/p"; });
  expect_new([](auto& e) { e.scope = "/p"; });
  expect_new([](auto& e) { e.scope = "/q"; });
  expect_new([](auto& e) { e.scope = "/p", e.source = "/p/.mcp.json"; });
  expect_new([](auto& e) { e.env_file = "/.env"; });
  expect_new([](auto& e) { e.env_names = {"TOKEN"}; });
  expect_new([](auto& e) { e.env_names = {"TOKEN", "OTHER"}; });
  expect_new([](auto& e) { e.url = "https://x"; });
  expect_new([](auto& e) { e.url = "https://x", e.transport = msg::transport_kind::sse; });
  expect_new([](auto& e) { e.url = "https://x", e.headers = {{"A", "b"}}; });
}

TEST(digest, of_an_entry_with_nothing_new_is_that_of_existing_catalogs) {
  EXPECT_EQ(digest_of(some_entry()), "3803a6fa10728b845f2cb890e6751a087834f3066ed703ec2dcb283bc0c33819");
}

TEST(digest, what_starts_the_same_server_has_the_same) {
  auto e = some_entry();
  std::swap(e.env[0], e.env[1]);
  e.source = "/other.json";
  e.disabled = true;
  e.shadows = {"/third.json"};
  e.client = "Cursor (user)";
  e.workspace = "/p"; // nothing in it can refer to that
  e.tools.denied = {"x"};
  e.rate.requests = 1;
  e.call_timeout_ms = e.calls_max = e.idle_ms = 1;
  e.eager = true;
  EXPECT_EQ(digest_of(e), digest_of(some_entry()));
}

} // namespace catalog_digest_test
