#include "proxy/tool_docs.hpp"

#include "proxy/listed_servers.hpp"

#include "tests/unit/support/values.hpp"
#include "text/json_text.hpp"

#include <boost/json/serialize.hpp>

#include <gtest/gtest.h>

namespace proxy_tool_docs_test {

namespace json = boost::json;

using msg::tool_detail;
using test::doc;
using test::value;

msg::tool_info some_tool() {
  return {
    "fs", "read", "Reads.",
    doc(
      R"({"name":"read","description":"Reads.","inputSchema":{"type":"object"},"outputSchema":{"type":"string"},"annotations":{"readOnlyHint":true},"_meta":{}})")};
}

msg::tool_matches found(msg::tool_list tools) {
  msg::tool_matches m;
  m.tools = std::move(tools);
  return m;
}

json::value entry(const msg::tool_info& tool, tool_detail detail) {
  return proxy::tool_docs(found({tool}), detail).at(0);
}

msg::tool_info tool_with(const std::string& input_schema) {
  auto t = some_tool();
  t.definition = doc(R"({"name":"read","inputSchema":)" + input_schema + "}");
  return t;
}

TEST(tool_doc, says_all) {
  EXPECT_EQ(
    proxy::tool_doc(some_tool()),
    test::object(
      R"({"name":"mcp__fs__read","server":"fs","tool":"read","description":"Reads.","parameters":{"type":"object"},"outputSchema":{"type":"string"},"annotations":{"readOnlyHint":true}})"));
}

TEST(tool_doc, of_an_odd_definition_is_still_one) {
  for (auto* definition : {"null", "[]", "{}", R"({"inputSchema":5})"}) {
    auto t = some_tool();
    t.definition = doc(definition);
    EXPECT_EQ(proxy::tool_doc(t).at("name"), "mcp__fs__read");
    for (auto detail : {tool_detail::minimal, tool_detail::standard, tool_detail::declared, tool_detail::full})
      EXPECT_EQ(entry(t, detail).at("name"), "mcp__fs__read");
  }
}

TEST(tool_docs, say_as_much_as_was_asked_for) {
  EXPECT_EQ(entry(some_tool(), tool_detail::minimal), value(R"({"name":"mcp__fs__read"})"));
  EXPECT_EQ(entry(some_tool(), tool_detail::standard),
            value(R"({"name":"mcp__fs__read","description":"Reads.","parameters":""})"));
  EXPECT_EQ(entry(some_tool(), tool_detail::declared),
            value(R"({"name":"mcp__fs__read","description":"Reads.","parameters":{"type":"object"}})"));
  EXPECT_EQ(entry(some_tool(), tool_detail::full), json::value(proxy::tool_doc(some_tool())));
}

TEST(tool_docs, do_not_say_the_dialect_of_schemas) {
  auto t = tool_with(
    R"({"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"$schema":{"type":"string"}}})");
  for (auto detail : {tool_detail::declared, tool_detail::full})
    EXPECT_EQ(entry(t, detail).at("parameters"),
              value(R"({"type":"object","properties":{"$schema":{"type":"string"}}})"));
  EXPECT_EQ(entry(t, tool_detail::standard).at("parameters"), "$schema?: string");
}

TEST(tool_docs, of_ten_tools_are_short) {
  std::string long_text = "Reads the complete contents of a file. ";
  for (int i = 0; i < 500; ++i)
    long_text += "Then it says much more about \"it\". ";
  json::object properties;
  for (int i = 0; i < 60; ++i)
    properties["parameter" + std::to_string(i)] =
      json::object{{"type", "object"}, {"properties", {{"inner", {{"enum", {"one", "two", "three"}}}}}}};
  msg::tool_matches m;
  for (int i = 0; i < 10; ++i) {
    auto t = some_tool();
    t.server = "a-server-with-a-long-name";
    t.name = "a_tool_that_has_a_rather_long_name_" + std::to_string(i);
    t.description = long_text;
    t.definition = msg::document{
      json::value{{"inputSchema", {{"type", "object"}, {"properties", properties}, {"required", {"parameter7"}}}}}};
    m.tools.push_back(std::move(t));
    m.also_on.emplace_back(300, "another-server");
  }
  auto docs = proxy::tool_docs(m, tool_detail::standard);
  EXPECT_LE(text::to_text(docs).size(), 4'000U);
  EXPECT_LE(text::to_text(proxy::search_entries(m, tool_detail::standard)).size(), 4'000U);
  for (auto& d : docs) {
    EXPECT_TRUE(d.at("description").as_string().starts_with("Reads the complete contents of a file."));
    EXPECT_TRUE(d.at("description").as_string().ends_with(".")) << d;
    EXPECT_TRUE(d.at("parameters").as_string().starts_with("parameter7: object, parameter0?: object")) << d;
    EXPECT_EQ(d.at("alsoOn").as_array().size(), 3U);
    EXPECT_EQ(d.at("alsoOnCount"), 300);
  }
}

TEST(search_entries, speak_the_words_of_search_tools) {
  auto of = [](tool_detail d) { return proxy::search_entries(found({some_tool()}), d).at(0); };
  EXPECT_EQ(of(tool_detail::minimal),
            value(R"({"name":"mcp__fs__read","server":"fs","tool":"read","description":"Reads."})"));
  EXPECT_EQ(of(tool_detail::standard),
            value(R"({"name":"mcp__fs__read","server":"fs","tool":"read","description":"Reads.","parameters":""})"));
  EXPECT_EQ(of(tool_detail::full), json::value(proxy::tool_doc(some_tool())));
}

TEST(search_entries, shorten_descriptions) {
  auto t = some_tool();
  for (int i = 0; i < 200; ++i)
    t.description += "日本";
  for (size_t shift = 0; shift < 3; ++shift) {
    t.description.insert(0, "x");
    auto text = [&](tool_detail d) {
      return std::string{proxy::search_entries(found({t}), d).at(0).at("description").as_string()};
    };
    EXPECT_LT(text(tool_detail::minimal).size(), 120u);
    for (auto detail : {tool_detail::minimal, tool_detail::standard}) {
      EXPECT_TRUE(text(detail).ends_with("..."));
      EXPECT_TRUE(test::is_valid_utf8(text(detail)));
    }
    EXPECT_EQ(text(tool_detail::full), t.description);
  }
}

TEST(signature_doc, has_call_signature_and_the_rest) {
  auto python = proxy::signature_doc(some_tool(), msg::language::python);
  EXPECT_EQ(python.at("call"), "await mcp_fs.read()");
  EXPECT_TRUE(python.at("signature").as_string().starts_with("# await mcp_fs.read()\n"));
  EXPECT_NE(python.at("signature").as_string().find("async def read("), std::string::npos);
  auto d = proxy::signature_doc(some_tool(), msg::language::typescript);
  EXPECT_EQ(d.at("call"), "await mcp.fs.read()");
  EXPECT_EQ(d.at("signature"),
            "declare namespace mcp.fs {\n  /** Reads. */\n  function read(params?: {}): Promise<string>;\n}\n");
  for (auto& [key, of_tool] : proxy::tool_doc(some_tool()))
    EXPECT_EQ(d.at(key), of_tool) << key << ": the same words everywhere";
  EXPECT_FALSE(d.contains("_meta"));
  EXPECT_FALSE(d.contains("inputSchema"));
}

TEST(signature_answer, has_the_schema_by_its_old_name_too) {
  auto d = proxy::signature_answer(some_tool());
  EXPECT_EQ(d.at("inputSchema"), value(R"({"type":"object"})"));
  EXPECT_EQ(d.at("parameters"), d.at("inputSchema"));
  auto t = some_tool();
  t.definition = doc("null");
  EXPECT_FALSE(proxy::signature_answer(t).contains("inputSchema"));
}

TEST(signature_doc, of_a_huge_definition_says_where_to_read_it) {
  auto tool = some_tool();
  json::object properties;
  for (int i = 0; i < 30'000; ++i)
    properties["property" + std::to_string(i)] = json::object{{"type", "string"}};
  tool.definition = msg::document{
    json::value{{"name", "read"}, {"inputSchema", {{"type", "object"}, {"properties", std::move(properties)}}}}};
  for (auto lang : {msg::language::typescript, msg::language::python}) {
    auto d = proxy::signature_doc(tool, lang);
    EXPECT_NE(d.at("signature").as_string().find("read"), std::string::npos);
    EXPECT_EQ(d.at("signature").as_string().find("property7"), std::string::npos);
    EXPECT_FALSE(d.contains("parameters"));
    EXPECT_NE(d.at("call").as_string().find("fs.read("), std::string::npos);
    EXPECT_NE(d.at("note").as_string().find("too much to be shown"), std::string::npos);
  }
}

TEST(servers_doc, tells_the_connected_from_the_others) {
  std::vector<msg::server_status> all(4);
  all[0].name = "up";
  all[0].state = msg::server_state::ready;
  all[0].tool_count = 2;
  all[0].tools = {"a", "b"};
  all[0].last_error = "an old one";
  all[1].name = "idle";
  all[2].name = "down";
  all[2].state = msg::server_state::backing_off;
  all[2].last_error = "it died";
  all[3].name = "up2";
  all[3].state = msg::server_state::ready;
  all[3].tool_count = 5;
  auto d = proxy::servers_doc(all);
  EXPECT_EQ(d.at("totalTools").as_uint64(), 7u);
  EXPECT_EQ(d.at("available"), value(R"(["idle","down"])"));
  EXPECT_EQ(d.at("errors"), value(R"({"down":"it died"})")) << "the error of a server that is up again is history";
  ASSERT_EQ(d.at("servers").as_array().size(), 2u);
  auto& up = d.at("servers").at(0).as_object();
  EXPECT_EQ(up.at("name"), "up");
  EXPECT_EQ(up.at("status"), "connected");
  EXPECT_EQ(up.at("toolCount").as_uint64(), 2u);
  EXPECT_EQ(up.at("tools"), value(R"(["a","b"])"));
}

TEST(servers_doc, counts_what_a_cloned_project_names_beyond_the_bound) {
  std::vector<msg::server_status> all(5'000);
  for (size_t i = 0; i < all.size(); ++i) {
    all[i].name = "s" + std::to_string(i);
    all[i].state = msg::server_state::unapproved;
    all[i].last_error = std::string(10'000, 'e');
    all[i].source = i % 2 == 0 ? "/p/.mcp.json" : "/p/.cursor/mcp.json";
  }
  all.back().name = "mine";
  all.back().state = msg::server_state::idle;
  auto d = proxy::servers_doc(all);
  EXPECT_EQ(d.at("available").as_array().size(), proxy::listed_waiting_max + 1);
  EXPECT_EQ(d.at("available").as_array().back(), "mine") << "the user's are not pushed out";
  EXPECT_EQ(d.at("more"), value(R"([{"file":"/p/.cursor/mcp.json","more":2474},{"file":"/p/.mcp.json","more":2475}])"));
  EXPECT_LT(boost::json::serialize(d).size(), 80'000u);
}

TEST(servers_doc, names_so_many_servers_and_files_at_most) {
  std::vector<msg::server_status> all(proxy::listed_servers_max + 40);
  for (size_t i = 0; i < all.size(); ++i) {
    all[i].name = "s" + std::to_string(i);
    all[i].source = "/f" + std::to_string(i);
  }
  auto d = proxy::servers_doc(all);
  EXPECT_EQ(d.at("available").as_array().size(), proxy::listed_servers_max);
  ASSERT_EQ(d.at("more").as_array().size(), proxy::listed_files_max + 1);
  EXPECT_EQ(d.at("more").as_array().back(), value(R"({"more":20})"));
}

TEST(servers_doc, names_so_many_tools_at_most) {
  std::vector<msg::server_status> all(2);
  all[0].state = all[1].state = msg::server_state::ready;
  all[0].tool_count = 100'000;
  all[0].tools.assign(100'000, std::string(32, 't'));
  all[1].tool_count = 1;
  all[1].tools = {"small"};
  auto d = proxy::servers_doc(all);
  auto& large = d.at("servers").at(0).as_object();
  EXPECT_EQ(large.at("tools").as_array().size(), 2'048u);
  EXPECT_EQ(large.at("moreTools").to_number<size_t>(), 100'000u - 2'048u);
  EXPECT_EQ(large.at("toolCount").as_uint64(), 100'000u);
  EXPECT_EQ(d.at("servers").at(1).at("moreTools").to_number<size_t>(), 1u);
  EXPECT_LT(boost::json::serialize(d).size(), 80'000u);
}

TEST(servers_doc, of_no_servers) {
  auto d = proxy::servers_doc({});
  EXPECT_EQ(boost::json::serialize(d), R"({"servers":[],"available":[],"totalTools":0})");
}

TEST(search_entries, name_the_servers_that_have_the_same_tool) {
  auto m = found({some_tool(), some_tool()});
  m.also_on = {{"a", "b"}};
  EXPECT_EQ(proxy::search_entries(m, tool_detail::standard).at(0).at("alsoOn"), value(R"(["a","b"])"));
  EXPECT_FALSE(proxy::search_entries(m, tool_detail::standard).at(1).as_object().contains("alsoOn"));
  EXPECT_EQ(proxy::tool_docs(m, tool_detail::minimal).at(0).at("alsoOn"), value(R"(["a","b"])"));
  EXPECT_FALSE(proxy::tool_docs(m, tool_detail::minimal).at(1).as_object().contains("alsoOn"));
}

TEST(servers_doc, tells_what_is_known_of_servers_that_are_not_connected) {
  std::vector<msg::server_status> all(2);
  all[0].name = "idle";
  all[0].tool_count = 2;
  all[0].tools = {"a", "b"};
  all[1].name = "unknown";
  auto d = proxy::servers_doc(all);
  EXPECT_EQ(d.at("indexed"), value(R"([{"name":"idle","toolCount":2,"tools":["a","b"]}])"));
  EXPECT_EQ(d.at("available"), value(R"(["idle","unknown"])"));
  EXPECT_EQ(d.at("totalTools").as_uint64(), 2u);
  all[1].tool_count = 500;
  all[1].tools.assign(500, "t");
  d = proxy::servers_doc(all);
  EXPECT_EQ(d.at("indexed"), value(R"([{"name":"idle","toolCount":2},{"name":"unknown","toolCount":500}])"))
    << "hundreds of names help nobody";
}

TEST(search_hint, is_for_answers_that_do_not_fit) {
  auto good = found({some_tool()});
  good.not_indexed = {"a"};
  EXPECT_EQ(proxy::search_hint(good), "");
  auto poor = found({some_tool()});
  poor.fit = msg::search_fit::poor;
  EXPECT_NE(proxy::search_hint(poor).find("nearest"), std::string::npos);
  EXPECT_TRUE(proxy::search_hint(poor).ends_with("better one."));
  EXPECT_EQ(proxy::search_hint({}), "No tool was found.");
  msg::tool_matches unread;
  unread.total = 1;
  EXPECT_EQ(proxy::search_hint(unread), "");
}

TEST(search_hint, names_servers_but_not_hundreds) {
  msg::tool_matches m;
  m.not_indexed = {"a", "b"};
  EXPECT_NE(proxy::search_hint(m).find("No tool was found. The tools of these servers are not known yet: a, b. "),
            std::string::npos);
  m.not_indexed.assign(500, "server");
  auto hint = proxy::search_hint(m);
  EXPECT_NE(hint.find("and 480 more"), std::string::npos);
  EXPECT_LT(hint.size(), 500u);
}

} // namespace proxy_tool_docs_test
