#include "recording/recorded.hpp"

#include "recording/recorder.hpp"

#include <asio/io_context.hpp>
#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace {

namespace json = boost::json;

class recording_file : public testing::Test {
protected:
  recording_file() : folder_(std::filesystem::temp_directory_path() / ("recording-" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~recording_file() override { std::filesystem::remove_all(folder_); }

  std::string path() const { return (folder_ / "r.jsonl").string(); }
  void append(const std::string& text) const { std::ofstream{path(), std::ios::app} << text; }
  std::string text() const {
    std::ifstream in{path()};
    return {std::istreambuf_iterator<char>{in}, {}};
  }
  void begin(const std::string& salt = "s") const { append(recording::first_line(salt)); }
  void add(const std::string& server, const std::string& method, const std::string& params, const std::string& result) {
    recording::question asked{server, method, json::parse(params).as_object()};
    append(R"({"key":")" + recording::key_of(asked, "s") + R"(","server":")" + server + R"(","method":")" + method
           + R"(","params":)" + params + R"(,"ms":1.5,"result":)" + result + "}\n");
  }
  recording::recorded read() const {
    auto got = recording::recorded::read(path());
    EXPECT_TRUE(got.ok()) << got.error.message;
    return std::move(got.value);
  }
  static std::string answer(recording::recorded& from, const std::string& params, const std::string& server = "kid",
                            const std::string& method = "tools/call") {
    auto found = from.answer({server, method, json::parse(params).as_object()});
    return found && found->result() ? json::serialize(*found->result()) : "none";
  }

  std::filesystem::path folder_;
};

std::string no_mask(std::string text) { return text; }

} // namespace

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

TEST_F(recording_file, is_written_for_its_owner_and_goes_on_behind_a_line_that_was_cut_off) {
  asio::io_context io;
  {
    auto to = recording::recorder::open(path(), io.get_executor());
    ASSERT_TRUE(to.ok()) << to.error.message;
    to.value->write(msg::document{json::object{{"n", 1}}});
    io.run();
  }
  struct stat found {};
  ASSERT_EQ(::stat(path().c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777U, 0600U);
  append(R"({"n":2)");
  auto before = text();
  {
    auto to = recording::recorder::open(path(), io.get_executor());
    ASSERT_TRUE(to.ok()) << to.error.message;
    io.restart();
    to.value->write(msg::document{json::object{{"n", 3}}});
    io.run();
  }
  EXPECT_EQ(text(), before + "\n{\"n\":3}\n");
}

TEST_F(recording_file, another_file_is_not_written_to) {
  append("precious\n");
  asio::io_context io;
  EXPECT_NE(recording::recorder::open(path(), io.get_executor()).error.message.find("its first line"),
            std::string::npos);
  EXPECT_EQ(text(), "precious\n");
}
