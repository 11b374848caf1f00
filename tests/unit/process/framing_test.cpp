#include "process/framing.hpp"

#include "tests/unit/support/values.hpp"

#include <gtest/gtest.h>

namespace process_framing_test {

using process::deframer;
using process::framing;
using strings = std::vector<std::string>;

constexpr size_t bound = 8;
/// Stands for a message over the bound.
constexpr const char* too_long = "<too long>";

strings read_all(deframer& d) {
  strings out;
  for (;;) {
    auto e = d.next();
    if (e == deframer::event::need_more)
      return out;
    out.push_back(e == deframer::event::message ? std::string{d.text()} : too_long);
    if (e == deframer::event::too_long && out.size() > 100)
      return out; // a stream of frames stays unusable
  }
}

strings read_in_pieces(std::string_view stream, const std::vector<size_t>& cuts) {
  deframer d{framing::lines, bound};
  strings out;
  size_t at = 0;
  auto feed = [&](size_t end) {
    d.feed(stream.substr(at, end - at));
    at = end;
    auto more = read_all(d);
    out.insert(out.end(), more.begin(), more.end());
  };
  for (auto cut : cuts)
    feed(cut);
  feed(stream.size());
  return out;
}

struct line_case {
  const char* stream;
  strings messages;
};

const line_case line_cases[] = {
  {"", {}},
  {"a", {}},
  {"a\n", {"a"}},
  {"a\nb\nc\n", {"a", "b", "c"}},
  {"a\r\nb\r\n", {"a", "b"}},
  {"\n\n\r\n \n\t\na\n\n", {"a"}},
  {" a \n", {" a "}},
  {"a\rb\n", {"a\rb"}},
  {"12345678\n", {"12345678"}},
  {"123456789\n", {too_long}},
  {"1234567890123456789012345\nab\n", {too_long, "ab"}},
  {"a\n123456789\nb\n123456789\nc\n", {"a", too_long, "b", too_long, "c"}},
  {"1234567890\n\nb\n", {too_long, "b"}},
  {"1234567890\n1234567890\n", {too_long, too_long}},
  {"123456789012345\n12345678\n", {too_long, "12345678"}},
  {"1234567\r\n", {"1234567"}},
};

TEST(deframer, keeps_both_ends_of_a_line_that_is_too_long) {
  for (size_t step : {1u, 700u, 5'000u, 100'000u}) {
    deframer d{framing::lines, bound};
    auto line = "begin" + std::string(20'000, '.') + "end";
    auto stream = line + "\n" + "second.." + "...\n";
    strings beginnings, endings;
    for (size_t at = 0; at < stream.size(); at += step) {
      d.feed(std::string_view{stream}.substr(at, step));
      while (d.next() == deframer::event::too_long) {
        beginnings.emplace_back(d.text());
        endings.emplace_back(d.ending());
      }
    }
    ASSERT_EQ(beginnings.size(), 2u);
    EXPECT_TRUE(line.starts_with(beginnings[0]) && beginnings[0].size() <= 4'096) << step;
    EXPECT_GE(beginnings[0].size(), bound);
    EXPECT_EQ(endings[0], line.substr(line.size() - 512));
    EXPECT_EQ(endings[1], "second.....");
  }
}

TEST(deframer, cuts_lines_in_one_piece) {
  for (auto& c : line_cases)
    EXPECT_EQ(read_in_pieces(c.stream, {}), c.messages) << testing::PrintToString(c.stream);
}

TEST(deframer, cuts_lines_alike_wherever_the_stream_is_split) {
  for (auto& c : line_cases) {
    auto n = std::string_view{c.stream}.size();
    for (size_t first = 0; first <= n; ++first)
      for (size_t second = first; second <= n; ++second)
        ASSERT_EQ(read_in_pieces(c.stream, {first, second}), c.messages)
          << testing::PrintToString(c.stream) << " split at " << first << ", " << second;
    std::vector<size_t> every_byte;
    for (size_t i = 0; i < n; ++i)
      every_byte.push_back(i);
    EXPECT_EQ(read_in_pieces(c.stream, every_byte), c.messages) << testing::PrintToString(c.stream);
  }
}

TEST(deframer, takes_random_lines_in_random_pieces) {
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    test::random_values random{seed};
    std::string stream;
    strings expected;
    for (auto n = random.below(30); n > 0; --n) {
      std::string line(random.below(2 * bound), static_cast<char>('a' + random.below(26)));
      stream += line + (random.below(2) ? "\n" : "\r\n");
      auto bytes = line.size() + (stream.ends_with("\r\n") ? 1 : 0); // the bound counts what is held
      if (bytes > bound)
        expected.push_back(too_long);
      else if (!line.empty())
        expected.push_back(line);
    }
    std::vector<size_t> cuts;
    for (size_t at = 0; at < stream.size(); at += 1 + random.below(6))
      cuts.push_back(at);
    EXPECT_EQ(read_in_pieces(stream, cuts), expected) << "seed " << seed;
  }
}

TEST(deframer, holds_little_of_an_endless_line) {
  deframer d{framing::lines, bound};
  for (int i = 0; i < 10'000; ++i) {
    d.feed("xxxxxxxxxxxxxxxx");
    ASSERT_EQ(d.next(), deframer::event::need_more);
  }
  d.feed("\nok\n");
  EXPECT_EQ(read_all(d), (strings{too_long, "ok"}));
}

TEST(frame, writes_what_the_deframer_reads) {
  for (auto kind : {framing::lines, framing::frames})
    for (auto* text : {"a", "{\"a\":1}", "12345678"}) {
      deframer d{kind, bound};
      d.feed(process::frame(kind, text) + process::frame(kind, text));
      EXPECT_EQ(read_all(d), (strings{text, text}));
    }
}

TEST(frame, has_a_big_endian_length) {
  EXPECT_EQ(process::frame(framing::frames, "abc"), (std::string{"\0\0\0\3abc", 7}));
  EXPECT_EQ(process::frame(framing::frames, std::string(0x010203, 'x')).substr(0, 4), (std::string{"\0\1\2\3", 4}));
  EXPECT_EQ(process::frame(framing::lines, "abc"), "abc\n");
}

TEST(deframer, cuts_frames_alike_wherever_the_stream_is_split) {
  auto stream = process::frame(framing::frames, "ab\n") + process::frame(framing::frames, "")
                + process::frame(framing::frames, "12345678");
  for (size_t cut = 0; cut <= stream.size(); ++cut) {
    deframer d{framing::frames, bound};
    d.feed(std::string_view{stream}.substr(0, cut));
    auto got = read_all(d);
    d.feed(std::string_view{stream}.substr(cut));
    auto more = read_all(d);
    got.insert(got.end(), more.begin(), more.end());
    EXPECT_EQ(got, (strings{"ab\n", "", "12345678"})) << "split at " << cut;
  }
}

TEST(deframer, bounds_frames_by_their_header_alone) {
  for (auto* header : {"\x00\x00\x00\x09", "\x7f\xff\xff\xff", "\xff\xff\xff\xff"}) {
    deframer d{framing::frames, bound};
    d.feed({header, 4});
    EXPECT_EQ(d.next(), deframer::event::too_long);
    EXPECT_EQ(d.next(), deframer::event::too_long) << "the stream is unusable from there on";
  }
}

TEST(deframer, a_message_stays_valid_until_the_next_call) {
  deframer d{framing::lines, 1'000};
  d.feed("first\nsecond\nthi");
  ASSERT_EQ(d.next(), deframer::event::message);
  auto first = d.text();
  EXPECT_EQ(first, "first");
  ASSERT_EQ(d.next(), deframer::event::message);
  EXPECT_EQ(d.text(), "second");
  EXPECT_EQ(d.next(), deframer::event::need_more);
  d.feed("rd\n");
  ASSERT_EQ(d.next(), deframer::event::message);
  EXPECT_EQ(d.text(), "third");
}

} // namespace process_framing_test
