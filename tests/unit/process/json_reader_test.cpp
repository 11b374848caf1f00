// What the reader tells of messages that can not be parsed, are too long, or lack the end of their line.
#include "process/json_reader.hpp"

#include "messages/limits.hpp"
#include "process/child.hpp"
#include "testing/coroutines.hpp"

#include <asio/io_context.hpp>
#include <asio/thread_pool.hpp>
#include <gtest/gtest.h>

#include <string>
#include <thread>

#include <unistd.h>

namespace process_json_reader_test {

using process::json_event;

constexpr size_t line_bytes_max = 4u << 20;

/// What comes first of a stream.
json_event read_stream(const std::string& bytes) {
  asio::io_context io;
  asio::thread_pool worker{1};
  auto ends = process::make_pipe();
  auto from = std::make_shared<asio::posix::stream_descriptor>(io, ends.read.release());
  process::json_reader reader{from, worker.get_executor(), process::framing::lines, line_bytes_max};
  std::thread writer{[&ends, &bytes] {
    for (size_t at = 0; at < bytes.size();)
      at += static_cast<size_t>(::write(ends.write.get(), bytes.data() + at, bytes.size() - at));
    ends.write = {};
  }};
  auto event = test::run(io, reader.next());
  writer.join();
  return event;
}

json_event read_line(const std::string& line) { return read_stream(line + "\n"); }

TEST(json_reader, tells_id_and_method_of_what_is_malformed) {
  auto deep = std::string(1'000, '[') + std::string(1'000, ']');
  auto longest = "\"" + std::string(254, 'i') + "\"", too_long = "\"" + std::string(255, 'i') + "\"";
  struct {
    std::string line;
    std::string told;
  } const cases[] = {
    {R"({"method":"m","params":)" + deep + R"(,"id":7})", R"({"id":7,"method":"m"})"},
    {R"({"params":NaN,"id":"a","jsonrpc":"2.0"})", R"({"id":"a"})"},
    {R"({"x":NaN,"id":)" + longest + "}", R"({"id":)" + longest + "}"},
    {R"({"x":NaN,"id":)" + too_long + "}", "null"},
    {R"({"x":NaN,"params":{"id":7}})", "null"},
    {R"({"x":NaN,"id":nothing,"method":"m"})", R"({"method":"m"})"},
    {R"({"id":1,"method":"m"} x)", "null"},
  };
  for (auto& c : cases) {
    auto event = read_line(c.line);
    EXPECT_EQ(event.what, json_event::kind::malformed) << c.line;
    EXPECT_EQ(event.value.text(), c.told) << c.line;
  }
}

TEST(json_reader, tells_them_of_what_another_thread_parses) {
  auto padding = std::string(2 * msg::limits::json_inline_bytes_max, 'x');
  auto event = read_line(R"({"x":NaN,"y":")" + padding + R"(","id":8,"method":"m"})");
  EXPECT_EQ(event.what, json_event::kind::malformed);
  EXPECT_EQ(event.value.text(), R"({"id":8,"method":"m"})");
}

TEST(json_reader, a_cut_character_in_a_long_message_is_replaced) {
  auto padding = std::string(2 * msg::limits::json_inline_bytes_max, 'x');
  auto event = read_line("[\"" + padding + "\\ud83d\"]");
  EXPECT_EQ(event.what, json_event::kind::message) << event.problem;
  EXPECT_EQ(event.value.text(), "[\"" + padding + "\xEF\xBF\xBD\"]");
}

TEST(json_reader, an_id_that_can_not_be_answered_is_refused) {
  auto event = read_line(R"({"jsonrpc":"2.0","id":"a\ud83d","method":"ping"})");
  EXPECT_EQ(event.what, json_event::kind::malformed);
  EXPECT_NE(event.problem.find("surrogate"), std::string::npos);
  EXPECT_EQ(read_line("{\"id\":\"a\xEF\xBF\xBD\",\"method\":\"\\ud83d\"}").what, json_event::kind::message);
  EXPECT_EQ(read_line(R"({"id":"\ud83d\ude00"})").what, json_event::kind::message);
}

TEST(json_reader, tells_id_and_method_of_what_is_too_long) {
  auto filling = std::string(line_bytes_max, 'x');
  for (auto& line : {R"({"id":7,"method":"m","params":")" + filling + R"("})",
                     R"({"method":"m","params":")" + filling + R"(","id":7})"}) {
    auto event = read_line(line);
    EXPECT_EQ(event.what, json_event::kind::too_long);
    EXPECT_EQ(event.value.text(), R"({"id":7,"method":"m"})");
  }
  EXPECT_EQ(read_line(filling + "x").value.text(), "null");
}

TEST(json_reader, takes_a_last_line_without_its_end_if_it_is_whole) {
  for (auto* last : {R"({"a":1})", "[1]", "{} "})
    EXPECT_EQ(read_stream(last).what, json_event::kind::message) << last;
  for (auto* cut : {R"({"a":1)", "12", " ", "{}x"}) {
    auto event = read_stream(cut);
    EXPECT_EQ(event.what, json_event::kind::end) << cut;
    EXPECT_TRUE(event.is_cut_off) << cut;
  }
}

} // namespace process_json_reader_test
