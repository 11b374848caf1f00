#include "text/json_spelling.hpp"

#include "text/json_parse.hpp"
#include "text/json_text.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <gtest/gtest.h>

#include <chrono>
#include <random>

namespace text_json_spelling_test {

namespace json = boost::json;

json::value parsed(std::string_view text) {
  json::value out;
  auto problem = text::parse_json(text, text::json_dialect::strict, out);
  EXPECT_EQ(problem.what, "") << text;
  return out;
}

std::string spelled(const json::value& value, std::string_view like) {
  std::string out;
  text::append_spelled(out, value, like);
  return out;
}

TEST(json_spelling, stays_what_it_is) {
  for (std::string_view text :
       {R"({"pattern":"^a\/b$","\u00fc":"\u00fc\ud83d\ude00","n":[1e2,-0.10,1E+2,-0.0,18446744073709551615],"t":true})",
        R"([123456789012345678901234567890,1e400,0.1000000000000000055511151231257827])", R"({"a":{},"b":[],"":null})",
        R"("\u0000\n")", R"({"cut":"\ud83d"})", R"({"a\"b":{"a\\":"\\"}})", "7", "{}", "[]"})
    EXPECT_EQ(spelled(parsed(text), text), text);
}

TEST(json_spelling, leaves_white_space_out) {
  std::string_view text = " {\r\n \"a b\" : [ 1.50 ,\t{ \"c\" : \" \\u0020 \" } ] ,\"d\":{ } , \"e\" : [\n] } \n";
  EXPECT_EQ(spelled(parsed(text), text), R"({"a b":[1.50,{"c":" \u0020 "}],"d":{},"e":[]})");
}

TEST(json_spelling, is_of_the_value_whatever_the_text_says) {
  auto value = parsed(R"({"a":1.0,"b":[1.0,2.0],"c":"ü"})");
  EXPECT_EQ(spelled(value, ""), R"({"a":1.0,"b":[1.0,2.0],"c":"ü"})");
  EXPECT_EQ(spelled(value, R"({"c":"\u00fc","x":5,"b":[1.00],"a":1.00})"), R"({"a":1.00,"b":[1.00,2.0],"c":"\u00fc"})");
  EXPECT_EQ(spelled(value, R"({"a":{"b":1.00},"b":1.00,"c":["\u00fc"]})"), R"({"a":1.0,"b":[1.0,2.0],"c":"ü"})");
  EXPECT_EQ(spelled(parsed("[1.0]"), "[1.00,2,3]"), "[1.00]");
  EXPECT_EQ(spelled(parsed(R"({"a\\n":1})"), "{\"a\\n\":1.00}"), R"({"a\\n":1})") << "another name";
}

TEST(json_spelling, of_members_of_one_name_the_last_counts) {
  std::string_view text = R"({"a":1.00,"b":[1.00,{"c":1,"c":2.00}],"a":3.00})";
  auto value = parsed(text);
  EXPECT_EQ(parsed(spelled(value, text)), value);
  EXPECT_EQ(spelled(value, text).find("1.00,\"c\""), std::string::npos);
  EXPECT_EQ(text::json_member(text, "a"), "3.00");
}

/// Each level has a member of the same name twice, or one more than the value: its text is read once all the same.
TEST(json_spelling, takes_time_by_its_length_and_not_by_its_depth) {
  for (std::string_view level : {R"({"x":1,"x":2,"a":)", R"({"x":1,"a":)"}) {
    std::string text, end;
    for (int i = 0; i < 190; ++i) {
      text += level;
      end += R"(,"x":3})";
    }
    text += "[0";
    for (int i = 0; i < 200'000; ++i)
      text += ",1.0e0";
    text += "]" + end;
    auto value = parsed(text);
    auto began = std::chrono::steady_clock::now();
    auto out = spelled(value, text);
    EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds{10}) << "190 times as long otherwise";
    EXPECT_EQ(text::to_text(parsed(out)), text::to_text(value));
    EXPECT_NE(out.find("1.0e0"), out.npos);
  }
}

TEST(json_spelling, of_members_that_are_listed) {
  std::string_view text = R"({ "a" : 1.00, "b" : "\/", "c" : [ 2.00 ] })";
  auto value = parsed(text);
  auto& object = value.get_object();
  json::value other("new");
  std::vector<text::listed_member> members{{"a", &object["a"]}, {"c", &object["c"]}, {"d", &other}};
  std::string out = "x";
  text::append_spelled(out, members, text);
  EXPECT_EQ(out, R"(x{"a":1.00,"c":[2.00],"d":"new"})");
  out.clear();
  text::append_spelled(out, std::span<const text::listed_member>{}, text);
  EXPECT_EQ(out, "{}");
}

TEST(json_spelling, finds_a_member_by_its_name) {
  std::string_view text = R"( { "id" : 1, "r\u0065sult" : { "result" : [ "}" , "\"" ] } , "x":"result" } )";
  EXPECT_EQ(text::json_member(text, "result"), R"({ "result" : [ "}" , "\"" ] })");
  EXPECT_EQ(text::json_member(text, "id"), "1");
  EXPECT_EQ(text::json_member(text, "none"), "");
  for (std::string_view odd : {"", "[1]", "5", "{", R"({"a")", R"({"a":)", R"({"a":"\)", "{]", R"({"a":[[[)"})
    EXPECT_EQ(text::json_member(odd, "b"), "") << odd;
}

// ---- any value, any text ---------------------------------------------------------------------

class random_text {
public:
  explicit random_text(unsigned seed) : chance_(seed) {}

  std::string value(int depth = 0) {
    auto kind = pick(depth > 4 ? 4 : 6);
    if (kind < 2)
      return one_of({"0", "-0.10", "1e2", "1E+02", "12345678901234567890123", "true", "false", "null", "1.50"});
    if (kind < 4)
      return string();
    std::string out = kind == 4 ? "[" : "{";
    for (auto left = pick(4); left > 0; --left)
      out += space() + (kind == 4 ? "" : string() + space() + ":") + space() + value(depth + 1) + space()
             + (left > 1 ? "," : "");
    return out + space() + (kind == 4 ? "]" : "}");
  }

private:
  int pick(int below) { return static_cast<int>(chance_() % static_cast<unsigned>(below)); }
  std::string one_of(std::initializer_list<const char*> texts) {
    return *(texts.begin() + pick(static_cast<int>(texts.size())));
  }
  std::string space() { return one_of({"", "", " ", "\n\t"}); }
  std::string string() {
    return one_of({R"("a")", R"("\u0061")", R"("b\/")", R"("b/")", R"("")", R"("\\\"")", R"("}")"});
  }

  std::mt19937 chance_;
};

TEST(json_spelling, parses_to_the_value_with_any_text) {
  for (unsigned seed = 0; seed < 5'000; ++seed) {
    auto text = random_text{seed}.value(), other = random_text{seed + 1'000'000}.value();
    auto value = parsed(text);
    auto same = spelled(value, text);
    EXPECT_EQ(parsed(same), value) << text;
    EXPECT_EQ(spelled(value, same), same);
    EXPECT_EQ(parsed(spelled(value, other)), value) << text << "\n" << other;
    EXPECT_EQ(parsed(spelled(value, std::string_view{text}.substr(0, text.size() / 2))), value) << text;
  }
}

} // namespace text_json_spelling_test
