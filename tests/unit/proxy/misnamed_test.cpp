#include "proxy/misnamed.hpp"

#include <boost/json/parse.hpp>
#include <gtest/gtest.h>

namespace proxy_misnamed_test {

namespace json = boost::json;

std::string meant(std::string_view properties, std::string_view given, std::vector<std::string> missing) {
  json::value schema = json::object{{"properties", json::parse(properties)}};
  auto object = json::parse(given).as_object();
  return proxy::given_for_missing(&schema, object, missing);
}

constexpr const char* file = R"({"path": {"type": "string"}, "head": {"type": "integer"}})";

TEST(given_for_missing, by_meaning) {
  EXPECT_EQ(meant(file, R"({"file": "a"})", {"path"}), "file");
  EXPECT_EQ(meant(file, R"({"x": "b", "file_name": "a"})", {"path"}), "file_name");
  EXPECT_EQ(meant(R"({"query": {"type": "string"}, "limit": {"type": "integer"}})", R"({"count": 5, "search": "a"})",
                  {"query", "limit"}),
            "search");
}

TEST(given_for_missing, as_the_only_one) {
  EXPECT_EQ(meant(file, R"({"thing": "a"})", {"path"}), "thing");
  EXPECT_EQ(meant(file, R"({"thing": "a", "head": 1})", {"path"}), "thing");
  EXPECT_EQ(meant(file, R"({"thing": "a", "other": "b"})", {"path"}), "") << "either could be";
  EXPECT_EQ(meant(R"({"a": {}, "b": {}})", R"({"thing": "a"})", {"a", "b"}), "");
}

TEST(given_for_missing, not_what_is_of_another_type_or_known) {
  EXPECT_EQ(meant(file, R"({"file": 1})", {"path"}), "");
  EXPECT_EQ(meant(file, R"({"head": "a"})", {"path"}), "");
  EXPECT_EQ(meant(file, "{}", {"path"}), "");
  EXPECT_EQ(meant(file, R"({"thing": "a"})", {}), "");
  json::object given{{"thing", 1}};
  EXPECT_EQ(proxy::given_for_missing(nullptr, given, {"path"}), "");
}

TEST(given_for_missing, looks_at_few_names) {
  json::object given;
  for (int i = 0; i < 100'000; ++i)
    given[std::to_string(i)] = 1;
  given["file"] = "a";
  json::value schema = json::object{{"properties", json::parse(file)}};
  EXPECT_EQ(proxy::given_for_missing(&schema, given, {"path"}), "");
}

} // namespace proxy_misnamed_test
