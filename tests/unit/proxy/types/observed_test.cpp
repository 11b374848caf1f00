#include "proxy/types/observed.hpp"

#include "testing/cpu_time.hpp"
#include "tests/unit/support/values.hpp"
#include "text/json_text.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

namespace signatures_observed_test {

using test::value;
using types::observed;

observed of(const std::vector<std::string>& results) {
  observed out;
  for (auto& r : results)
    out.merge(value(r));
  return out;
}

/// Without the counts.
std::string schema(const observed& o) {
  auto s = o.schema();
  s.erase("x-observed");
  return text::to_text(s);
}

std::vector<std::string> times(size_t n, const std::vector<std::string>& results) {
  std::vector<std::string> out;
  for (size_t i = 0; i < n; ++i)
    out.insert(out.end(), results.begin(), results.end());
  return out;
}

TEST(observed, is_the_shape_of_what_was_seen) {
  struct {
    std::vector<std::string> results;
    const char* schema;
  } const cases[] = {
    {{}, "{}"},
    {{"\"text\""}, R"({"type":"string"})"},
    {{"1"}, R"({"type":"integer"})"},
    {{"1", "1.5"}, R"({"type":"number"})"},
    {{"1", "null"}, R"({"anyOf":[{"type":"integer"},{"type":"null"}]})"},
    {{"true", "\"x\""}, R"({"anyOf":[{"type":"string"},{"type":"boolean"}]})"},
    {{"[]"}, R"({"type":"array"})"},
    {{"[1]", "[\"a\"]"}, R"({"type":"array","items":{"anyOf":[{"type":"string"},{"type":"integer"}]}})"},
    {{"{}"}, R"({"type":"object","properties":{}})"},
    {{R"({"a":1,"b":"x"})", R"({"a":2})"},
     R"({"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"string"}},"required":["a"]})"},
    {{R"({"a":1})", R"({"a":null,"c":true})"},
     R"({"type":"object","properties":{"a":{"anyOf":[{"type":"integer"},{"type":"null"}]},"c":{"type":"boolean"}},"required":["a"]})"},
    // names that no author of a tool chose
    {{R"({"1234":{"n":1},"5678":{"n":2}})"},
     R"({"type":"object","additionalProperties":{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}})"},
    {{R"({"3f2a91bc77":1,"88ab01cd22":2})"}, R"({"type":"object","additionalProperties":{"type":"integer"}})"},
    {{R"({"/etc/passwd":1,"/etc/hosts":"x"})"},
     R"({"type":"object","additionalProperties":{"anyOf":[{"type":"string"},{"type":"integer"}]}})"},
    {{R"({"1234":1})"}, R"({"type":"object","additionalProperties":{"type":"integer"}})"}, // it may be a customer
    {{R"({"n":1,"kim@example.com":"x"})", R"({"n":1,"2026-11-22":"x"})"},
     R"({"type":"object","additionalProperties":{"type":"string"},"properties":{"n":{"type":"integer"}},"required":["n"]})"},
    {{R"({"x1":1,"p99":2,"@type":"T"})"},
     R"({"type":"object","properties":{"@type":{"type":"string"},"p99":{"type":"integer"},"x1":{"type":"integer"}},"required":["@type","p99","x1"]})"},
    {{R"({"line1":"a","line2":"b"})"},
     R"({"type":"object","properties":{"line1":{"type":"string"},"line2":{"type":"string"}},"required":["line1","line2"]})"},
  };
  for (auto& c : cases)
    EXPECT_EQ(schema(of(c.results)), c.schema);
}

TEST(observed, few_strings_again_and_again_are_an_enum) {
  EXPECT_EQ(schema(of(times(10, {"\"open\"", "\"closed\""}))), R"({"type":"string","enum":["closed","open"]})");
  EXPECT_EQ(schema(of(times(5, {"\"open\"", "\"closed\""}))), R"({"type":"string"})"); // too early
  auto once = times(30, {"\"open\""});
  once.emplace_back("\"closed\"");
  EXPECT_EQ(schema(of(once)), R"({"type":"string"})"); // so there may be more
  EXPECT_EQ(schema(of(times(30, {"\"KatjaBrandt\""}))), R"({"type":"string"})") << "one value is no choice";
  std::vector<std::string> nine{R"("a")", R"("b")", R"("c")", R"("d")", R"("e")",
                                R"("f")", R"("g")", R"("h")", R"("i")"};
  EXPECT_EQ(schema(of(times(10, nine))), R"({"type":"string"})");
  nine.pop_back();
  EXPECT_NE(schema(of(times(10, nine))).find("enum"), std::string::npos);
  EXPECT_EQ(schema(of(times(30, {"\"" + std::string(50, 'x') + "\""}))), R"({"type":"string"})");
}

TEST(observed, only_identifiers_are_an_enum) {
  for (auto text : {"in progress", "text/plain", "a@b.de", "2026", "v2", "Kim Smith", "-x", "sk_live_1", "deadbeefcafe",
                    "ghp_AbCdEfGhIjKlMnOpQr"})
    EXPECT_EQ(schema(of(times(30, {"\"" + std::string{text} + "\""}))), R"({"type":"string"})") << text;
  observed o;
  for (int i = 0; i < 30; ++i)
    o.merge(value(R"("hunter")"), {[](std::string_view text) { return text == "hunter"; }});
  EXPECT_EQ(schema(o), R"({"type":"string"})");
  EXPECT_EQ(text::to_text(o.to_json()).find("hunter"), std::string::npos);
}

TEST(observed, long_names_are_names) {
  for (auto* name : {"viewerCanUpdateMergeQueueStatusOfThis", "isThisFieldReallyNotVerySecret"})
    EXPECT_NE(schema(of({std::string{"{\""} + name + "\":1,\"b\":2}"})).find(name), std::string::npos);
  for (auto* key : {"deadbeefcafebabe", "AbCdEfGhIjKlMnOpQr"})
    EXPECT_EQ(schema(of({std::string{"{\""} + key + "\":1,\"b\":2}"})).find(key), std::string::npos);
}

TEST(observed, values_of_fields_that_name_a_secret_are_none) {
  types::private_things knows{{}, [](std::string_view name) { return name == "password" || name == "credentials"; }};
  observed o;
  for (int i = 0; i < 30; ++i)
    o.merge(value(i % 2 ? R"({"password":"hunter","credentials":{"of":["open"]},"state":"on"})"
                        : R"({"password":"rabbit","credentials":{"of":["closed"]},"state":"off"})"),
            knows);
  auto stored = text::to_text(o.to_json());
  for (auto* secret : {"hunter", "rabbit", "open", "closed"})
    EXPECT_EQ(stored.find(secret), std::string::npos) << secret;
  EXPECT_NE(schema(o).find(R"("enum":["off","on"])"), std::string::npos) << schema(o);
}

TEST(observed, no_value_is_stored) {
  auto text_of = [](const observed& o) { return text::to_text(o.to_json()); };
  auto few = of(times(9, {R"({"who":"alice","of":"bob"})"}));
  EXPECT_EQ(text_of(few).find("alice"), std::string::npos) << "it may exec an enum, and is none yet";
  EXPECT_EQ(text_of(of({R"({"kim@example.com":1,"d41d8cd98f00b204":2,"ok":true})"})).find("kim"), std::string::npos);
  EXPECT_EQ(text_of(of({R"({"kim@example.com":1,"d41d8cd98f00b204":2,"ok":true})"})).find("d41d"), std::string::npos);
  observed o;
  o.merge(value(R"({"a-secret":1,"ok":true})"), {[](std::string_view text) { return text == "a-secret"; }});
  EXPECT_EQ(text_of(o).find("a-secret"), std::string::npos);
  EXPECT_EQ(
    schema(o),
    R"({"type":"object","additionalProperties":{"type":"integer"},"properties":{"ok":{"type":"boolean"}},"required":["ok"]})");
  auto enough = of(times(10, {R"("open")", R"("closed")"}));
  EXPECT_NE(text_of(enough).find("closed"), std::string::npos);
  EXPECT_EQ(schema(*observed::from_json(value(text_of(enough)))), schema(enough));
}

TEST(observed, what_older_formats_have_stored_is_dropped) {
  for (auto* format : {"1", "2"})
    EXPECT_FALSE(
      observed::from_json(value(R"({"format":)" + std::string{format}
                                + R"(,"samples":1,"version":1,"shape":{"string":3,"values":{"alice":3}}})")));
}

TEST(observed, many_rows_of_one_result_are_one_observation) {
  std::string rows = "[";
  for (int i = 0; i < 40; ++i)
    rows += std::string{i > 0 ? "," : ""} + R"({"owner":")" + (i % 2 == 0 ? "alice" : "bob") + "\"}";
  rows += "]";
  auto of_strings =
    R"({"type":"array","items":{"type":"object","properties":{"owner":{"type":"string"}},"required":["owner"]}})";
  EXPECT_EQ(schema(of({rows})), of_strings);
  EXPECT_EQ(schema(of(times(19, {rows}))), of_strings);
  EXPECT_EQ(text::to_text(of(times(19, {rows})).to_json()).find("alice"), std::string::npos);
  EXPECT_NE(schema(of(times(20, {rows}))).find("enum"), std::string::npos);
}

TEST(observed, names_of_objects_that_are_alike_are_keys) {
  auto record =
    R"({"type":"object","additionalProperties":{"type":"object","properties":{"age":{"type":"integer"}},"required":["age"]}})";
  EXPECT_EQ(schema(of({R"({"alice":{"age":3},"bob":{"age":5}})"})), record);
  EXPECT_EQ(schema(of({R"({"carol":{"age":3}})", R"({"alice":{"age":3},"bob":{"age":5}})"})), record)
    << "and those that were fields before";
  EXPECT_EQ(text::to_text(of({R"({"alice":{"age":3},"bob":{"age":5}})"}).to_json()).find("alice"), std::string::npos);
  EXPECT_NE(schema(of({R"({"user":{"age":3},"place":{"city":"x"}})"})).find("place"), std::string::npos);
}

TEST(observed, version_changes_with_the_shape_only) {
  observed o;
  EXPECT_EQ(o.version(), 0u);
  o.merge(value(R"({"a":1})"));
  EXPECT_EQ(o.version(), 1u);
  o.merge(value(R"({"a":2})"));
  EXPECT_EQ(o.version(), 1u);
  o.merge(value(R"({"a":2.5})"));
  EXPECT_EQ(o.version(), 2u);
  EXPECT_EQ(o.samples(), 3u);
  EXPECT_EQ(text::to_text(o.schema().at("x-observed")), R"({"samples":3,"version":2})");
}

TEST(observed, does_not_depend_on_the_order_and_survives_storing) {
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    test::random_values random{seed};
    std::vector<boost::json::value> results;
    for (int i = 0; i < 6; ++i)
      results.push_back(random.value(3));
    observed forward, backward;
    for (size_t i = 0; i < results.size(); ++i) {
      forward.merge(results[i]);
      backward.merge(results[results.size() - 1 - i]);
      auto stored = observed::from_json(value(text::to_text(forward.to_json()))); // as it comes back from a file
      ASSERT_TRUE(stored) << "seed " << seed;
      ASSERT_EQ(stored->to_json(), value(text::to_text(forward.to_json())));
      forward = *stored;
    }
    EXPECT_EQ(schema(forward), schema(backward)) << "seed " << seed;
  }
}

TEST(observed, what_is_no_stored_shape_is_refused) {
  for (auto text :
       {"null", "5", "{}", R"({"format":4,"samples":1,"version":1,"shape":{}})",
        R"({"format":3,"samples":-1,"version":1,"shape":{}})", R"({"format":3,"samples":1,"version":1,"shape":[]})",
        R"({"format":3,"samples":1,"version":1,"shape":{"string":"x"}})",
        R"({"format":3,"samples":1,"version":1,"shape":{"fields":{"a":[1]}}})",
        R"({"format":3,"samples":1,"version":1,"shape":{"fields":5}})"})
    EXPECT_FALSE(observed::from_json(value(text))) << text;
  EXPECT_TRUE(observed::from_json(observed{}.to_json()));
}

TEST(observed, is_bounded) {
  boost::json::object wide, deep_inside;
  boost::json::array rows;
  for (int i = 0; i < 2'000; ++i) {
    wide["field " + std::to_string(i)] = i;
    boost::json::object row;
    for (int k = 0; k < 20; ++k)
      row["column" + std::to_string(k)] = "value " + std::to_string(i * k);
    rows.push_back(row);
  }
  boost::json::value deep = 1;
  for (int i = 0; i < 100; ++i)
    deep = boost::json::object{{"in", deep}};
  observed o;
  for (auto& result : {boost::json::value(wide), boost::json::value(rows), deep}) {
    auto begin = test::cpu_time();
    o.merge(result);
    EXPECT_LT(test::cpu_time() - begin, std::chrono::milliseconds{100}); // 1 ms without sanitizers
    EXPECT_LT(text::to_text(o.schema()).size(), 200'000u);
  }
  EXPECT_EQ(schema(of({text::to_text(boost::json::value(wide))})),
            R"({"type":"object","additionalProperties":{"type":"integer"}})");
  observed table;
  table.merge(rows);
  EXPECT_EQ(table.schema().at("items").at("properties").as_object().size(), 20u);
}

TEST(observed, grows_no_further_than_its_bound) {
  observed o;
  for (int i = 0; i < 300; ++i) {
    boost::json::object result;
    for (int k = 0; k < 40; ++k) {
      boost::json::object inner;
      for (int m = 0; m < 40; ++m)
        inner["name" + std::string(1 + static_cast<size_t>(i % 20), 'x') + std::string(static_cast<size_t>(m), 'y')] =
          m;
      result["part" + std::string(static_cast<size_t>(k), 'z')] = inner;
    }
    o.merge(result);
  }
  EXPECT_LT(text::to_text(o.to_json()).size(), 200'000u);
  EXPECT_TRUE(observed::from_json(o.to_json()));
}

} // namespace signatures_observed_test
