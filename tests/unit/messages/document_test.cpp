#include "messages/document.hpp"

#include "tests/unit/support/values.hpp"
#include "text/json_parse.hpp"

#include <boost/json/array.hpp>
#include <boost/json/memory_resource.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <gtest/gtest.h>

#include <future>
#include <thread>

namespace messages_document_test {

using msg::document;
using test::doc;

TEST(document, is_null_by_default) {
  document d;
  EXPECT_TRUE(d.value().is_null());
  EXPECT_EQ(d.text(), "null");
  EXPECT_EQ(d.text_bytes(), 4u);
}

TEST(document, parses_one_text_with_space_around_it) {
  for (auto* text : {"1", " 1", "1 ", "\t\r\n 1 \t\r\n"}) {
    auto parsed = document::parse(text);
    ASSERT_TRUE(parsed.ok()) << text << ": " << parsed.error.message;
    EXPECT_EQ(parsed.value.text(), "1");
    EXPECT_EQ(parsed.value.text_bytes(), std::string_view{text}.size());
  }
}

TEST(document, refuses_what_is_no_json_text) {
  const std::string_view broken[] = {"",
                                     " ",
                                     "\n",
                                     "{",
                                     "[",
                                     "[1",
                                     "[1,",
                                     "[1,]",
                                     "{\"a\"",
                                     "{\"a\":",
                                     "{\"a\":1,",
                                     "{\"a\":1,}",
                                     "{a:1}",
                                     "'a'",
                                     "tru",
                                     "nul",
                                     "True",
                                     "01",
                                     "+1",
                                     "1.",
                                     ".5",
                                     "1e",
                                     "-",
                                     "NaN",
                                     "Infinity",
                                     "\"",
                                     "\"a",
                                     "\"\\x\"",
                                     "\"\\u12\"",
                                     "\"\n\"",
                                     "\"\t\"",
                                     "// c\n1",
                                     "1 // c",
                                     "/*c*/1",
                                     "\xEF\xBB\xBF"
                                     "1",
                                     "[1 2]",
                                     "{\"a\" 1}",
                                     "{1:2}",
                                     "]",
                                     "}"};
  for (auto text : broken) {
    auto parsed = document::parse(text);
    EXPECT_FALSE(parsed.ok()) << text;
    EXPECT_EQ(parsed.error.code, msg::errc::invalid_argument) << text;
    EXPECT_FALSE(parsed.error.message.empty()) << text;
    EXPECT_TRUE(parsed.value.value().is_null()) << text;
  }
}

TEST(document, refuses_what_comes_behind_the_value) {
  for (auto* text : {"1 2", "{}{}", "[]x", "null,", "\"a\" \"b\"", "{} \0"}) {
    auto parsed = document::parse(text);
    if (std::string_view{text} == "{} ") // the literal ends at its zero
      continue;
    EXPECT_FALSE(parsed.ok()) << text;
  }
  EXPECT_FALSE(document::parse(std::string_view{"{}\0", 3}).ok());
}

TEST(document, says_at_which_byte) {
  struct {
    const char* text;
    const char* position;
  } const cases[] = {
    {"x", "at byte 1"}, {"[1,x]", "at byte 4"}, {"{} x", "at byte 4"}, {"[1] ]", "at byte 5"}, {"\n\n }", "at byte 4"}};
  for (auto& c : cases)
    EXPECT_TRUE(document::parse(c.text).error.message.ends_with(c.position))
      << c.text << ": " << document::parse(c.text).error.message;
}

TEST(document, takes_strict_utf8_only) {
  const std::string_view good[] = {"\"é\"",
                                   "\"日本\"",
                                   "\"😀\"",
                                   "\"\xF4\x8F\xBF\xBF\"",
                                   "\"\xED\x9F\xBF\"",
                                   "\"\xEE\x80\x80\"",
                                   R"("\ud83d\ude00")",
                                   R"("\u0000")"};
  for (auto text : good)
    EXPECT_TRUE(document::parse(text).ok()) << text;
  const std::string_view bad[] = {
    "\"\x80\"",     "\"\xC3\"",     "\"\xC3\x28\"", "\"\xC0\xAF\"",         "\"\xE2\x82\"", "\"\xED\xA0\x80\"",
    "\"\xF0\x9F\"", "\"\xF8\x88\"", "\"\xFF\"",     "\"\xF4\x90\x80\x80\"", "{\"\xFF\":1}"};
  for (auto text : bad)
    EXPECT_FALSE(document::parse(text).ok()) << text;
}

TEST(document, takes_half_a_surrogate_pair_and_writes_the_replacement_character_or_its_name_in_a_key) {
  std::pair<const char*, std::string> cases[] = {
    {R"({"a":"cut \ud83d","\udcff":["\ude00\ud83d"]})", "U+dcff"},
    {R"({"a":"cut \uD83D","\uDCFF":["\uDE00\uD83D"]})", "U+DCFF"},
  };
  for (auto& [text, key] : cases) {
    auto parsed = document::parse(text);
    ASSERT_TRUE(parsed.ok()) << parsed.error.message;
    EXPECT_EQ(parsed.value.text(), "{\"a\":\"cut \xEF\xBF\xBD\",\"" + key + "\":[\"\xEF\xBF\xBD\xEF\xBF\xBD\"]}");
    EXPECT_EQ(parsed.value.text_bytes(), std::string_view{text}.size());
  }
}

TEST(document, bounds_the_nesting) {
  auto nested = [](size_t depth, char open, char close) {
    return std::string(depth, open) + std::string(depth, close);
  };
  EXPECT_TRUE(document::parse(nested(text::json_depth_max, '[', ']')).ok());
  EXPECT_FALSE(document::parse(nested(text::json_depth_max + 1, '[', ']')).ok());
  EXPECT_FALSE(document::parse(nested(1'000'000, '[', ']')).ok());
  std::string objects;
  for (size_t i = 0; i < 100'000; ++i)
    objects += "{\"a\":";
  EXPECT_FALSE(document::parse(objects).ok());
}

TEST(document, a_part_shares_the_whole_and_outlives_it) {
  document part;
  {
    auto whole = doc(R"({"a":{"b":[1,2,3]}})");
    part = whole.part(whole.value().at("a").at("b"));
    EXPECT_EQ(&part.value(), &whole.value().at("a").at("b")) << "it was copied";
    EXPECT_EQ(part.text_bytes(), whole.text_bytes());
  }
  EXPECT_EQ(part.text(), "[1,2,3]");
  EXPECT_EQ(part.part(part.value().at(1)).text(), "2");
}

TEST(document, text_of_a_parsed_document_parses_to_the_same) {
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    test::random_values random{seed};
    auto value = random.value();
    auto text = boost::json::serialize(value);
    auto parsed = document::parse(text);
    ASSERT_TRUE(parsed.ok()) << "seed " << seed << ": " << text;
    auto again = document::parse(parsed.value.text());
    ASSERT_TRUE(again.ok()) << "seed " << seed;
    EXPECT_EQ(again.value.value(), parsed.value.value()) << "seed " << seed;
  }
}

TEST(document, knows_its_size_however_it_was_made) {
  for (auto* text : {"null", "true", "false", "0", "-1234567890123456789", "18446744073709551615", "\"\"",
                     "\"a text that is long\"", "[]", "{}", R"({"a":[1,2,{"b":null}],"c":"d"})"}) {
    auto value = boost::json::parse(text);
    EXPECT_EQ(document{value}.text_bytes(), std::string_view{text}.size()) << text;
    EXPECT_EQ(document::text_bytes_of(value), std::string_view{text}.size()) << text;
    EXPECT_EQ(doc(text).held_bytes(), document{value}.held_bytes()) << text;
    EXPECT_GT(document{value}.held_bytes(), sizeof value) << text;
  }
}

TEST(document, holds_at_least_what_it_is_made_of) {
  boost::json::array nested, fields;
  for (int i = 0; i < 1'000; ++i) {
    nested.push_back(boost::json::parse("[[]]"));
    fields.push_back(boost::json::object{{"key", i}});
  }
  EXPECT_GT(document{nested}.held_bytes(), 2'000 * sizeof(boost::json::value));
  EXPECT_GT(document{fields}.held_bytes(), 1'000 * (sizeof(boost::json::value) + sizeof(boost::json::key_value_pair)));
  boost::json::string text(1'000'000, 'x');
  EXPECT_GE(document{text}.held_bytes(), 1'000'000u);
  EXPECT_LT(document{text}.held_bytes(), 3'000'000u);
  auto whole = document{boost::json::array{text, 1}};
  EXPECT_EQ(whole.part(whole.value().at(1)).held_bytes(), whole.held_bytes()) << "a part keeps the whole";
}

TEST(spliced_text, is_empty_by_default) {
  EXPECT_EQ(msg::spliced_text{}.text(), "");
  EXPECT_EQ(msg::spliced_text{}.text_bytes(), 0u);
}

TEST(spliced_text, joins_head_document_and_tail) {
  msg::spliced_text t{"{\"a\":", doc("[1, 2]"), "}"};
  EXPECT_EQ(t.text(), "{\"a\":[1,2]}");
  EXPECT_EQ(t.text_bytes(), 5u + 6u + 1u);
  EXPECT_EQ((msg::spliced_text{"<", document{}, ">"}.text()), "<null>");
}

TEST(spliced_text, a_whole_text_has_no_document) {
  EXPECT_EQ(msg::spliced_text{"abc"}.text(), "abc");
  EXPECT_EQ(msg::spliced_text{"abc"}.text_bytes(), 3u);
  EXPECT_EQ(msg::spliced_text{std::string{}}.text(), "");
}

// ---- kept spelling ---------------------------------------------------------------------------

document sent(std::string_view text) { return document::parse(text, msg::spelling::kept).value; }

TEST(document_spelling, is_ours_unless_it_is_kept) {
  std::string_view text = R"( {"a" : "\/", "b":1e2} )";
  EXPECT_EQ(document::parse(text).value.spelled(), R"({"a":"/","b":100.0})");
  EXPECT_EQ(sent(text).spelled(), R"({"a":"\/","b":1e2})");
  EXPECT_EQ(sent(text).text(), R"({"a":"/","b":100.0})");
  EXPECT_GT(sent(text).held_bytes(), document::parse(text).value.held_bytes());
}

TEST(document_spelling, of_parts) {
  auto whole = sent(R"({"result":{"x":1.00,"tools":["\/"]},"x":2.00,"list":[{"x":3.00}]})");
  auto& object = whole.value().get_object();
  auto result = whole.part(object.at("result"));
  EXPECT_EQ(result.spelled(), R"({"x":1.00,"tools":["\/"]})");
  EXPECT_EQ(result.part(object.at("result").at("tools")).spelled(), R"(["\/"])");
  EXPECT_EQ(whole.part(object.at("result").at("tools")).spelled(), R"(["\/"])");
  EXPECT_EQ(whole.part(object.at("x")).spelled(), "2.00");
  EXPECT_EQ(whole.part(object.at("list").at(0).at("x")).spelled(), "3.0") << "too deep: ours";
}

TEST(document_spelling, with_changes) {
  auto whole = sent(R"({"a":1.00,"b":[1.00,{"c":"\/"}],"d":2.00})");
  msg::member_changes changes{doc(R"({"b":[1.0,{"c":"/","e":5}],"n":3.0})"), {"a"}};
  EXPECT_EQ(whole.spelled(changes), R"({"b":[1.00,{"c":"\/","e":5}],"d":2.00,"n":3.0})");
  msg::spliced_text text{"<", whole, ">"};
  text.changes = std::make_shared<const msg::member_changes>(changes);
  EXPECT_EQ(text.text(), R"(<{"b":[1.00,{"c":"\/","e":5}],"d":2.00,"n":3.0}>)");
  EXPECT_GE(text.text_bytes(), text.text().size());
}

/// Says on which thread the last of it was given back.
class watched_memory final : public boost::json::memory_resource {
public:
  std::future<std::thread::id> freed() { return freed_.get_future(); }

private:
  void* do_allocate(size_t bytes, size_t) override {
    ++blocks_;
    return ::operator new(bytes);
  }
  void do_deallocate(void* block, size_t, size_t) override {
    ::operator delete(block);
    if (--blocks_ == 0)
      freed_.set_value(std::this_thread::get_id());
  }
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }

  size_t blocks_ = 0;
  std::promise<std::thread::id> freed_;
};

/// Where a document of a list of so many small objects is freed by this thread.
std::thread::id freed_by(size_t objects) {
  watched_memory memory;
  boost::json::storage_ptr storage{&memory};
  boost::json::array list(storage);
  for (size_t i = 0; i < objects; ++i)
    list.push_back(boost::json::object{{"a", i}});
  auto freed = memory.freed();
  msg::document{boost::json::value(std::move(list))};
  return freed.get();
}

TEST(document, is_taken_apart_elsewhere_if_that_takes_a_while) {
  EXPECT_EQ(freed_by(10), std::this_thread::get_id());
  EXPECT_NE(freed_by(100'000), std::this_thread::get_id());
}

} // namespace messages_document_test
