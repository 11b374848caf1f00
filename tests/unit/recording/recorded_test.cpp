#include "recording/recorded.hpp"

#include "tests/unit/recording/recording_fixture.hpp"

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <string>

namespace recording_recorded_test {

using namespace recording_tests;

TEST_F(recording_file, equal_arguments_have_equal_answers_in_any_order) {
  begin();
  add("kid", "tools/call", R"({"name":"a","arguments":{"x":1,"y":[2]}})", "1");
  add("kid", "tools/call", R"({"name":"a","arguments":{"x":2}})", "2");
  auto from = read();
  EXPECT_EQ(answer(from, R"({"name":"a","arguments":{"x":2.0}})"), "2");
  EXPECT_EQ(answer(from, R"({"arguments":{"y":[2],"x":1},"name":"a"})"), "1");
  EXPECT_EQ(answer(from, R"({"name":"a","arguments":{"x":2}})", "other"), "none");
  EXPECT_EQ(answer(from, R"({"name":"a","arguments":{"x":"2"}})"), "none");
  EXPECT_EQ(from.exchanges(), 2U);
}

TEST_F(recording_file, the_same_question_gets_its_answers_in_their_order) {
  begin();
  for (auto result : {"1", "2", "3"})
    add("kid", "tools/call", R"({"name":"next"})", result);
  auto from = read();
  std::string got;
  for (int i = 0; i < 5; ++i)
    got += answer(from, R"({"name":"next"})");
  EXPECT_EQ(got, "12333");
}

TEST_F(recording_file, lines_that_make_no_sense_are_left_out) {
  begin();
  add("kid", "tools/call", R"({"name":"a"})", "1");
  append("{\"key\":\"0123456789abcdef\",\"server\":\"kid\",\"method\":\"tools/call\",\"par}\n");
  append("nonsense\n\n{\"server\":\"kid\",\"notification\":{\"method\":\"x\"}}\n{\"lostLines\":3}\n");
  append(R"({"key":"0123456789abcdef","server":"kid","met)"); // killed while it was written
  auto from = read();
  EXPECT_EQ(answer(from, R"({"name":"a"})"), "1");
  EXPECT_EQ(from.broken_lines(), 3U);
  EXPECT_EQ(from.lost_lines(), 3U);
}

TEST_F(recording_file, a_question_looks_at_so_many_lines_that_make_no_sense_and_not_at_all) {
  begin();
  add("kid", "tools/call", R"({"name":"a"})", "1");
  auto good = text();
  auto line = good.substr(good.find('\n') + 1);
  line.pop_back();
  auto bad = line.substr(0, line.size() - 2) + "]}\n"; // has the key, and is no JSON
  std::string many;
  while (many.size() < (size_t{5} << 20))
    many += bad;
  append(many);
  add("kid", "tools/call", R"({"name":"a"})", "2");
  auto from = read();
  EXPECT_EQ(answer(from, R"({"name":"a"})"), "1");
  EXPECT_EQ(answer(from, R"({"name":"a"})"), "1") << "the last good one, as far as it has looked";
  EXPECT_GT(from.broken_lines(), 0U);
  EXPECT_LT(from.broken_lines(), many.size() / bad.size()) << "not all at once";
  EXPECT_EQ(answer(from, R"({"name":"a"})"), "1");
  EXPECT_EQ(answer(from, R"({"name":"a"})"), "2");
  ASSERT_EQ(from.gaps().size(), 1U);
}

TEST_F(recording_file, names_of_servers_are_texts_that_can_be_shown) {
  begin();
  append("{\"key\":\"0123456789abcdef\",\"server\":\"k\xff\xfe\",\"method\":\"x\"}\n");
  append("{\"key\":\"0123456789abcdef\",\"server\":\"k\\u001b\",\"method\":\"x\"}\n");
  auto from = read();
  EXPECT_TRUE(from.servers().empty());
  EXPECT_EQ(from.broken_lines(), 2U);
}

TEST_F(recording_file, what_a_person_has_written_needs_no_key) {
  begin();
  append(R"({ "method": "tools/call", "server": "kid", "params": {"name": "a", "arguments": {}}, "result": 5})"
         "\n");
  auto from = read();
  EXPECT_EQ(answer(from, R"({"name":"a","arguments":{}})"), "5");
}

TEST_F(recording_file, tells_what_is_nearest) {
  begin();
  add("kid", "tools/call", R"({"name":"a","arguments":{"city":"Oslo"}})", "1");
  add("kid", "tools/call", R"({"name":"a","arguments":{"city":"Amsterdam"}})", "1");
  add("kid", "tools/call", R"({"name":"b","arguments":{"city":"Osl"}})", "1");
  auto from = read();
  EXPECT_NE(from.nearest({"kid", "tools/call", json::parse(R"({"name":"a","arguments":{"city":"Osl"}})").as_object()})
              .find("Oslo"),
            std::string::npos);
  EXPECT_EQ(from.nearest({"kid", "tools/call", json::parse(R"({"name":"c"})").as_object()}), "");
}

TEST_F(recording_file, is_refused_if_it_is_none) {
  EXPECT_NE(recording::recorded::read(path()).error.message.find("No such file"), std::string::npos);
  append("{}\n");
  EXPECT_NE(recording::recorded::read(path()).error.message.find("its first line"), std::string::npos);
  std::ofstream{path()} << "{\"recording\":2}\n";
  EXPECT_NE(recording::recorded::read(path()).error.message.find("of version 2"), std::string::npos);
  std::ofstream{path()} << "";
  EXPECT_NE(recording::recorded::read(path()).error.message.find("it is empty"), std::string::npos);
  EXPECT_NE(recording::recorded::read(folder_.string()).error.message.find("it is no file"), std::string::npos);
}

TEST_F(recording_file, a_redacted_question_is_found_again_by_what_is_shown) {
  begin();
  json::object params = json::parse(R"({"name":"a","arguments":{"password":"hunter2hunter2"}})").as_object();
  auto shown = recording::without_secrets(params, no_mask);
  EXPECT_EQ(json::serialize(shown), R"({"name":"a","arguments":{"password":"[redacted]"}})");
  append(R"({"key":")" + recording::key_of({"kid", "tools/call", params}, "s")
         + R"(","server":"kid","method":"tools/call","params":)" + json::serialize(shown)
         + R"(,"result":7})"
           "\n");
  auto from = read();
  EXPECT_EQ(answer(from, json::serialize(params)), "7");
  EXPECT_EQ(answer(from, json::serialize(shown)), "7");
}

TEST_F(recording_file, what_describes_a_secret_is_none) {
  auto tool = json::parse(R"({"inputSchema":{"properties":{"token":{"type":"string"}},"required":["token"]}})");
  EXPECT_EQ(recording::without_secrets(tool, no_mask, recording::names_in("tools/list")), tool);
  EXPECT_NE(recording::without_secrets(tool, no_mask, recording::names_in("tools/call")), tool);
}

TEST_F(recording_file, secrets_are_masked_in_names_too) {
  auto mask = [](std::string text) { return text == "s3cret" ? std::string{"***"} : text; };
  EXPECT_EQ(json::serialize(recording::without_secrets(json::parse(R"({"s3cret":1,"token":{"s3cret":true}})"), mask)),
            R"({"***":1,"token":{"***":true}})");
}

TEST_F(recording_file, what_is_redacted_is_told_apart) {
  begin();
  for (auto token : {"p1", "p2"}) {
    json::object params{{"name", "a"}, {"arguments", json::object{{"pageToken", token}, {"cursor", "Bearer abc"}}}};
    recording::ended_exchange one;
    one.asked = {"kid", "tools/call", params};
    one.answer = msg::document{json::object{{"id", 1}, {"result", token}}};
    append(recording::exchange_line(one, no_mask, "s") + "\n");
  }
  auto from = read();
  EXPECT_EQ(text().find("p1\",\"c"), std::string::npos);
  EXPECT_EQ(answer(from, R"({"name":"a","arguments":{"pageToken":"p2","cursor":"Bearer abc"}})"), "\"p2\"");
  // one of them comes from an answer of the recording
  EXPECT_EQ(answer(from, R"({"name":"a","arguments":{"pageToken":"p2","cursor":"Bearer [redacted]"}})"), "\"p2\"");
  EXPECT_EQ(answer(from, R"({"name":"a","arguments":{"pageToken":"p99","cursor":"Bearer abc"}})"), "none");
  EXPECT_EQ(answer(from, R"({"name":"a","arguments":{"pageToken":"p99","cursor":"Bearer [redacted]"}})"), "none");
  // both do: in their order
  auto shown = R"({"name":"a","arguments":{"pageToken":"[redacted]","cursor":"Bearer [redacted]"}})";
  EXPECT_EQ(answer(from, shown) + answer(from, shown) + answer(from, shown), R"("p1""p2""p2")");
}

TEST_F(recording_file, one_that_does_not_tell_what_was_redacted_takes_anything) {
  begin();
  append(R"({"server":"kid","method":"tools/call","params":{"name":"a","arguments":{"token":"[redacted]"}},"result":1})"
         "\n");
  auto from = read();
  EXPECT_EQ(answer(from, R"({"name":"a","arguments":{"token":"any"}})"), "1");
  EXPECT_EQ(answer(from, R"({"name":"a","arguments":{"token":"any","x":1}})"), "none");
}

TEST_F(recording_file, lines_without_a_key_have_one) {
  begin();
  append(R"({"server":"kid","method":"x","params":{"q":1},"result":1})"
         "\n"
         R"({"server":"kid","method":"x","params":{"q":2},"result":1})"
         "\n");
  std::set<std::string> keys;
  auto from = read();
  from.for_each([&](const json::object& line) { keys.insert(from.key_in(line)); });
  EXPECT_EQ(keys.size(), 2U);
}

} // namespace recording_recorded_test
