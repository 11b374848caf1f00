#include "proxy/tool_docs.hpp"

#include "tests/unit/support/values.hpp"

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

TEST(tool_doc, says_as_much_as_was_asked_for) {
  EXPECT_EQ(proxy::tool_doc(some_tool(), tool_detail::minimal), test::object(R"({"name":"mcp__fs__read","server":"fs","tool":"read"})"));
  EXPECT_EQ(proxy::tool_doc(some_tool(), tool_detail::standard),
            test::object(R"({"name":"mcp__fs__read","server":"fs","tool":"read","description":"Reads.","parameters":{"type":"object"}})"));
  EXPECT_EQ(
    proxy::tool_doc(some_tool(), tool_detail::full),
    test::object(
      R"({"name":"mcp__fs__read","server":"fs","tool":"read","description":"Reads.","parameters":{"type":"object"},"outputSchema":{"type":"string"},"annotations":{"readOnlyHint":true}})"));
}

TEST(tool_doc, of_an_odd_definition_is_still_one) {
  for (auto* definition : {"null", "[]", "{}", R"({"inputSchema":5})"}) {
    auto t = some_tool();
    t.definition = doc(definition);
    EXPECT_EQ(proxy::tool_doc(t, tool_detail::full).at("name"), "mcp__fs__read");
  }
  EXPECT_EQ(proxy::tool_docs(found({some_tool(), some_tool()}), tool_detail::minimal).size(), 2u);
}

TEST(search_entries, speak_the_words_of_search_tools) {
  auto entry = [](tool_detail d) { return proxy::search_entries(found({some_tool()}), d).at(0); };
  EXPECT_EQ(entry(tool_detail::standard), value(R"({"server":"fs","tool":"read","description":"Reads."})"));
  EXPECT_EQ(entry(tool_detail::full), value(R"({"server":"fs","tool":"read","description":"Reads.","inputSchema":{"type":"object"}})"));
}

TEST(search_entries, shorten_descriptions_for_minimal_only) {
  auto t = some_tool();
  for (int i = 0; i < 60; ++i)
    t.description += "日本";
  for (size_t shift = 0; shift < 3; ++shift) {
    t.description.insert(0, "x");
    auto text = [&](tool_detail d) { return std::string{proxy::search_entries(found({t}), d).at(0).at("description").as_string()}; };
    EXPECT_LT(text(tool_detail::minimal).size(), 120u);
    EXPECT_TRUE(text(tool_detail::minimal).ends_with("..."));
    EXPECT_TRUE(test::is_valid_utf8(text(tool_detail::minimal)));
    EXPECT_EQ(text(tool_detail::standard), t.description);
  }
}

TEST(signature_doc, has_signature_and_schemas) {
  EXPECT_NE(proxy::signature_doc(some_tool(), msg::language::python).at("signature").as_string().find("async def read("), std::string::npos);
  auto d = proxy::signature_doc(some_tool(), msg::language::typescript);
  EXPECT_EQ(d.at("server"), "fs");
  EXPECT_EQ(d.at("tool"), "read");
  EXPECT_NE(d.at("signature").as_string().find("declare function read("), std::string::npos);
  EXPECT_EQ(d.at("inputSchema"), value(R"({"type":"object"})"));
  EXPECT_EQ(d.at("outputSchema"), value(R"({"type":"string"})"));
  EXPECT_FALSE(d.contains("_meta"));
}

TEST(signature_doc, of_a_huge_definition_says_where_to_read_it) {
  auto tool = some_tool();
  json::object properties;
  for (int i = 0; i < 30'000; ++i)
    properties["property" + std::to_string(i)] = json::object{{"type", "string"}};
  tool.definition = msg::document{json::value{{"name", "read"}, {"inputSchema", {{"type", "object"}, {"properties", std::move(properties)}}}}};
  for (auto lang : {msg::language::typescript, msg::language::python}) {
    auto d = proxy::signature_doc(tool, lang);
    EXPECT_NE(d.at("signature").as_string().find("read"), std::string::npos);
    EXPECT_EQ(d.at("signature").as_string().find("property7"), std::string::npos);
    EXPECT_FALSE(d.contains("inputSchema"));
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
  EXPECT_EQ(d.at("indexed"), value(R"([{"name":"idle","toolCount":2},{"name":"unknown","toolCount":500}])")) << "hundreds of names help nobody";
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
}

TEST(search_hint, names_servers_but_not_hundreds) {
  msg::tool_matches m;
  m.not_indexed = {"a", "b"};
  EXPECT_NE(proxy::search_hint(m).find("No tool was found. The tools of these servers are not known yet: a, b. "), std::string::npos);
  m.not_indexed.assign(500, "server");
  auto hint = proxy::search_hint(m);
  EXPECT_NE(hint.find("and 480 more"), std::string::npos);
  EXPECT_LT(hint.size(), 500u);
}

} // namespace proxy_tool_docs_test
