#include "http/event_stream.hpp"

#include <gtest/gtest.h>

#include <string>

namespace http_event_stream_test {

using http::event_stream_parser;
using http::stream_event;

/// "name=data|name=data|"
std::string shown(const std::vector<stream_event>& events) {
  std::string out;
  for (auto& e : events)
    out += e.name + "=" + e.data + "|";
  return out;
}

std::string parsed(std::string_view text) {
  event_stream_parser p{1'000};
  return shown(p.feed(text));
}

TEST(event_stream, follows_the_standard) {
  struct {
    std::string text;
    const char* events;
  } const cases[] = {
    {"data: a\n\n", "=a|"},
    {"data:a\n\n", "=a|"},
    {"data:  a\n\n", "= a|"},
    {"event: x\ndata: a\n\n", "x=a|"},
    {"data: a\nevent: x\nevent: y\n\n", "y=a|"},
    {"data: a\ndata: b\ndata:\n\n", "=a\nb\n|"},
    {"data\n\n", "=|"},
    {"data\ndata\n\n", "=\n|"},
    {"event: x\n\ndata: a\n\n", "=a|"}, // without data there is no event, and its name is forgotten
    {": comment\n:\ndata: a\n\n", "=a|"},
    {"id: 1\nretry: 5\nother: z\ndata : a\ndata: b\n\n", "=b|"},
    {"data: a\r\n\r\n", "=a|"},
    {"data: a\r\r", "=a|"},
    {"data: a\rdata: b\ndata: c\r\n\n", "=a\nb\nc|"},
    {"\xEF\xBB\xBF"
     "data: a\n\n",
     "=a|"},
    {"\n\n\ndata: a\n\n\n\ndata: b\n\n", "=a|=b|"},
    {"data: a", ""},
    {"data: a\n", ""},
    {"", ""},
    {std::string("data: a\0b\n\n", 11), nullptr},
  };
  for (auto& c : cases)
    EXPECT_EQ(parsed(c.text), c.events ? std::string{c.events} : std::string("=a\0b|", 5)) << c.text;
}

TEST(event_stream, tells_whoever_comes_back_where_it_was) {
  event_stream_parser p{100'000};
  EXPECT_EQ(p.last_id(), "");
  EXPECT_FALSE(p.retry());
  EXPECT_EQ(shown(p.feed("id: a\nretry: 250\ndata:\n\nid: b\ndata: x\n")), "=|");
  EXPECT_EQ(p.last_id(), "a"); // b is of an event that has not come
  EXPECT_EQ(p.retry(), std::chrono::milliseconds{250});
  p.feed("\ndata: y\n\n");
  EXPECT_EQ(p.last_id(), "b");
  p.feed("id\n\nretry: 1x\nretry: -1\nretry:\n\n");
  EXPECT_EQ(p.last_id(), "");
  EXPECT_EQ(p.retry(), std::chrono::milliseconds{250});
  p.feed("id: c\n\nid: " + std::string(http::stream_id_bytes_max + 1, 'd') + "\n\n" + std::string("id: e\0\n\n", 8));
  EXPECT_EQ(p.last_id(), "c");
  p.feed("retry: 99999999999999999999999\n\n");
  EXPECT_EQ(p.retry(), http::retry_max);
}

TEST(event_stream, a_second_byte_order_mark_is_text) {
  EXPECT_EQ(parsed("data: a\n\n\xEF\xBB\xBF"
                   "data: b\n\n"),
            "=a|");
}

TEST(event_stream, is_the_same_however_it_is_split) {
  const std::string text =
    "\xEF\xBB\xBF"
    ": hi\r\nevent: x\r\ndata: a\u00e4\r\ndata: b\r\n\r\ndata: c\n\ndata: d\r\rdata: e\r\n\ndata: f\n\r\n";
  const auto whole = parsed(text);
  EXPECT_EQ(whole, "x=a\u00e4\nb|=c|=d|=e|=f|");
  for (size_t i = 0; i <= text.size(); ++i)
    for (size_t j = i; j <= text.size(); ++j) {
      event_stream_parser p{1'000};
      std::string out;
      for (auto& piece : {text.substr(0, i), text.substr(i, j - i), std::string{}, text.substr(j)})
        out += shown(p.feed(piece));
      ASSERT_EQ(out, whole) << i << " " << j;
    }
  event_stream_parser bytes{1'000};
  std::string out;
  for (char c : text)
    out += shown(bytes.feed({&c, 1}));
  EXPECT_EQ(out, whole);
}

TEST(event_stream, bounds_lines_and_events) {
  event_stream_parser line{100};
  EXPECT_EQ(shown(line.feed("data: " + std::string(94, 'x') + "\n\n")), "=" + std::string(94, 'x') + "|");
  EXPECT_FALSE(line.too_long());
  EXPECT_EQ(shown(line.feed("data: " + std::string(95, 'x') + "\n\ndata: a\n\n")), "");
  EXPECT_TRUE(line.too_long());
  EXPECT_EQ(shown(line.feed("\n\ndata: b\n\n")), "") << "and nothing is read any more";

  event_stream_parser event{100};
  for (int i = 0; i < 1'000; ++i)
    event.feed("data: 0123456789\n");
  EXPECT_TRUE(event.too_long());
  event_stream_parser endless{100};
  for (int i = 0; i < 1'000; ++i)
    endless.feed("0123456789");
  EXPECT_TRUE(endless.too_long());
}

TEST(event_stream, comments_without_end_take_no_room) {
  event_stream_parser p{100};
  for (int i = 0; i < 10'000; ++i)
    EXPECT_TRUE(p.feed(": keep-alive\n\n").empty());
  EXPECT_EQ(shown(p.feed("data: a\n\n")), "=a|");
}

} // namespace http_event_stream_test
