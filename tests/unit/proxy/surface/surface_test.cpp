#include "proxy/surface/surface.hpp"

#include "tests/unit/support/values.hpp"
#include "text/json_text.hpp"

#include <gtest/gtest.h>

#include <set>

namespace surface_surface_test {

using mcp::revision;
using surface::result_form;
using surface::shown_tools;
using strings = std::vector<std::string>;

constexpr surface::available_runtimes both{true, true};

strings names(shown_tools s, surface::available_runtimes runtimes = both, revision r = mcp::latest_revision) {
  strings out;
  auto list = surface::tool_list({s, result_form::structured, runtimes, r});
  for (auto& t : list.at("tools").as_array())
    out.emplace_back(t.at("name").as_string());
  return out;
}

TEST(surface, every_name_of_the_contract_can_be_called) {
  using msg::language;
  using surface::result_shape;
  using surface::tool_kind;
  struct {
    const char* name;
    tool_kind kind;
    language lang;
    result_shape shape;
  } const cases[] = {
    {"run-typescript-code", tool_kind::run, language::typescript, result_shape::standard},
    {"executeTypescript", tool_kind::run, language::typescript, result_shape::standard},
    {"run-python-code", tool_kind::run, language::python, result_shape::standard},
    {"executePython", tool_kind::run, language::python, result_shape::standard},
    {"execute_code", tool_kind::run, language::typescript, result_shape::structured},
    {"run_python", tool_kind::run, language::python, result_shape::bridge},
    {"search_tools", tool_kind::search_tools, {}, {}},
    {"get_tool_signature", tool_kind::get_tool_signature, {}, {}},
    {"list_servers", tool_kind::list_servers, {}, {}},
    {"health", tool_kind::health, {}, {}},
  };
  for (auto& c : cases) {
    auto* t = surface::find_tool(c.name);
    ASSERT_TRUE(t) << c.name;
    EXPECT_EQ(t->name, c.name);
    EXPECT_EQ(t->kind, c.kind) << c.name;
    EXPECT_EQ(t->language, c.lang) << c.name;
    EXPECT_EQ(t->shape, c.shape) << c.name;
  }
  for (auto* name : {"", "run", "Run-Typescript-Code", "run_typescript_code", "execute_code "})
    EXPECT_FALSE(surface::find_tool(name)) << name;
}

TEST(surface, shows_what_the_contract_says) {
  EXPECT_EQ(names(shown_tools::code), (strings{"run-typescript-code", "run-python-code"}));
  EXPECT_EQ(names(shown_tools::discovery),
            (strings{"run-typescript-code", "run-python-code", "search_tools", "get_tool_signature", "list_servers"}));
  EXPECT_EQ(names(shown_tools::bridge), strings{"run_python"});
  auto all = names(shown_tools::all);
  EXPECT_EQ((std::set<std::string>{all.begin(), all.end()}),
            (std::set<std::string>{"run-typescript-code", "run-python-code", "execute_code", "search_tools",
                                   "get_tool_signature", "list_servers", "run_python", "health"}));
}

TEST(surface, does_not_show_a_runtime_that_is_missing) {
  EXPECT_EQ(names(shown_tools::code, {true, false}), strings{"run-typescript-code"});
  EXPECT_EQ(names(shown_tools::code, {false, true}), strings{"run-python-code"});
  EXPECT_TRUE(names(shown_tools::code, {false, false}).empty());
  EXPECT_EQ(names(shown_tools::discovery, {false, false}),
            (strings{"search_tools", "get_tool_signature", "list_servers"}));
  EXPECT_TRUE(names(shown_tools::bridge, {true, false}).empty());
  for (auto& name : names(shown_tools::all, {false, false}))
    EXPECT_NE(surface::find_tool(name)->kind, surface::tool_kind::run) << name;
}

TEST(surface, every_definition_is_one_of_a_tool) {
  for (auto r : {revision::r2024_11_05, revision::r2025_03_26, revision::r2025_06_18, revision::r2025_11_25}) {
    auto list = surface::tool_list({shown_tools::all, result_form::structured, both, r});
    for (auto& t : list.at("tools").as_array()) {
      auto& o = t.as_object();
      EXPECT_TRUE(surface::find_tool(std::string{o.at("name").as_string()}));
      EXPECT_FALSE(o.at("description").as_string().empty());
      auto& schema = o.at("inputSchema").as_object();
      EXPECT_EQ(schema.at("type"), "object");
      EXPECT_FALSE(schema.contains("additionalProperties")) << "some clients refuse by themselves what is not listed";
      if (auto* required = schema.if_contains("required")) {
        for (auto& name : required->as_array())
          EXPECT_TRUE(schema.at("properties").as_object().contains(name.as_string()));
      }
      EXPECT_TRUE(!o.contains("outputSchema") || mcp::has_structured_content(r)) << mcp::name_of(r);
      EXPECT_TRUE(!o.contains("annotations") || mcp::has_tool_annotations(r)) << mcp::name_of(r);
    }
  }
  EXPECT_TRUE(surface::tool_list({shown_tools::code, result_form::structured, both, revision::r2025_06_18})
                .at("tools")
                .at(0)
                .as_object()
                .contains("outputSchema"));
  EXPECT_TRUE(surface::tool_list({shown_tools::all, result_form::text, both, revision::r2025_03_26})
                .at("tools")
                .at(2)
                .as_object()
                .contains("annotations"));
}

TEST(surface, is_the_same_to_the_byte_every_time) {
  for (auto s : {shown_tools::code, shown_tools::discovery, shown_tools::bridge, shown_tools::all})
    for (auto form : {result_form::text, result_form::structured}) {
      auto r = revision::r2025_11_25;
      auto first = text::to_text(surface::tool_list({s, form, both, r}));
      for (int i = 0; i < 5; ++i)
        EXPECT_EQ(text::to_text(surface::tool_list({s, form, both, r})), first);
    }
}

TEST(surface, stays_within_its_budget) { // 500, 600 and 200 tokens; about four bytes each
  auto bytes = [](shown_tools s, result_form form) {
    return text::to_text(surface::tool_list({s, form, both})).size();
  };
  EXPECT_LE(bytes(shown_tools::code, result_form::text), 500u * 5);
  EXPECT_LE(bytes(shown_tools::code, result_form::structured), 600u * 5);
  EXPECT_LE(bytes(shown_tools::bridge, result_form::text), 200u * 5);
}

TEST(surface, lists_a_schema_of_results_for_programs_only) {
  for (auto form : {result_form::text, result_form::structured}) {
    auto list = surface::tool_list({shown_tools::all, form, both});
    for (auto& t : list.at("tools").as_array())
      if (t.at("name") == "run-python-code" || t.at("name") == "health") {
        EXPECT_EQ(t.as_object().contains("outputSchema"), form == result_form::structured);
      }
  }
}

TEST(surface, is_never_deferred) {
  auto list = surface::tool_list({shown_tools::code, result_form::text, both});
  for (auto& t : list.at("tools").as_array())
    EXPECT_EQ(t.at("_meta"), test::value(R"({"anthropic/alwaysLoad":true})"));
}

TEST(surface, knows_the_nearest_name_to_a_wrong_one) {
  EXPECT_EQ(surface::nearest_tool("run-typescript"), "run-typescript-code");
  EXPECT_EQ(surface::nearest_tool("search_tool"), "search_tools");
  EXPECT_EQ(surface::nearest_tool("executeCode"), "execute_code");
  EXPECT_EQ(surface::nearest_tool("runPython"), "run_python");
  EXPECT_EQ(surface::nearest_tool("zzzzzzzzzzzzz"), "");
}

TEST(surface, says_which_tool_there_is_not) {
  EXPECT_EQ(surface::unknown_tool_text("search_tool"), "Unknown tool: search_tool; did you mean 'search_tools'?");
  EXPECT_EQ(surface::unknown_tool_text("zzzzzzzzzzzzz"), "Unknown tool: zzzzzzzzzzzzz");
  EXPECT_LT(surface::unknown_tool_text(std::string(100'000, 'z')).size(), 1'000u);
}

} // namespace surface_surface_test
