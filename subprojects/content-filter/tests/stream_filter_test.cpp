#include "content_filter/stream_filter.hpp"
#include "corpus.hpp"
#include "testing/cpu_time.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <random>

namespace content_filter_stream_filter_test {

using namespace content_filter;

/// Not optimized and with sanitizers; what is not linear takes minutes.
constexpr std::chrono::seconds patience{20};
constexpr size_t hostile_bytes = 64u << 10;

/// What comes out of the pieces between the cuts, in order. `cuts` are places in the text, ascending.
std::string in_pieces(std::string_view text, const std::vector<size_t>& cuts) {
  stream_filter filter{{}};
  std::string out;
  size_t begin = 0;
  auto feed = [&](size_t end) {
    auto given = filter.feed(text.substr(begin, end - begin));
    EXPECT_TRUE(given.ok());
    EXPECT_LE(filter.held_bytes(), stream_filter::held_bytes_max);
    out += given.text;
    begin = end;
  };
  for (auto cut : cuts)
    feed(cut);
  feed(text.size());
  return out + filter.finish().text;
}

std::string whole(std::string_view text) { return filter_content(text, {}).text; }

/// Some of each kind: the others differ in the secret only.
std::vector<std::string> texts() {
  std::vector<std::string> out;
  std::mt19937 random{1};
  for (auto& e : corpus::all())
    if (e.text.size() < 200 ? random() % 8 == 0 : random() % 100 == 0)
      out.push_back(e.text);
  for (auto& text : corpus::look_alikes())
    if (text.size() < 200)
      out.push_back(text);
  return out;
}

TEST(stream_filter, every_cut_gives_what_the_whole_gives) {
  for (auto& text : texts()) {
    auto expected = whole(text);
    for (size_t cut = 0; cut <= text.size(); ++cut)
      ASSERT_EQ(in_pieces(text, {cut}), expected) << text << "\n cut at " << cut;
  }
}

TEST(stream_filter, byte_by_byte) {
  for (auto& text : texts()) {
    std::vector<size_t> cuts;
    for (size_t i = 0; i < text.size(); ++i)
      cuts.push_back(i);
    ASSERT_EQ(in_pieces(text, cuts), whole(text)) << text;
  }
}

/// What is as long as a secret at a cut, and longer in the end, is none.
TEST(stream_filter, a_cut_where_a_secret_would_be_complete) {
  for (auto* form :
       {"d10<:AA>w60", "<AK><IA>u30", "<AI><za>w60", "<np><m_>a60", "<SK>h60", "<dop_><v1_>h90", "<sq0><atp->w40"}) {
    auto text = corpus::made(form, 3) + "1";
    EXPECT_EQ(whole(text), text);
    for (size_t cut = 0; cut <= text.size(); ++cut)
      ASSERT_EQ(in_pieces(text, {cut}), text) << cut;
  }
}

/// Everything in one text, so that what is decided is dropped and context is needed.
std::string long_text(unsigned seed) {
  std::mt19937 random{seed};
  auto all = corpus::all();
  auto others = corpus::look_alikes();
  std::string text;
  while (text.size() < 60'000) {
    text += random() % 2 == 0 ? all[random() % all.size()].text : others[random() % others.size()];
    text += std::string_view{" \n,;x\"-"}.substr(random() % 7, 1);
  }
  return text;
}

TEST(stream_filter, random_cuts_of_long_texts) {
  for (unsigned seed = 0; seed < 8; ++seed) {
    auto text = long_text(seed);
    auto expected = whole(text);
    std::mt19937 random{seed};
    for (size_t piece_max : {3u, 40u, 700u, 9'000u}) {
      std::vector<size_t> cuts;
      for (size_t at = random() % piece_max; at < text.size(); at += random() % piece_max)
        cuts.push_back(at);
      ASSERT_EQ(in_pieces(text, cuts), expected) << "seed " << seed << ", pieces of " << piece_max;
    }
  }
}

TEST(stream_filter, a_pem_block_longer_than_what_is_held) {
  auto block = "-----BEGIN PRIVATE KEY-----\n" + corpus::made("b200000", 1) + "\n-----END PRIVATE KEY-----";
  auto text = "before " + block + " after";
  for (size_t piece : {1u, 7u, 1'000u}) {
    stream_filter filter{{}};
    std::string out;
    for (size_t at = 0; at < text.size(); at += piece) {
      out += filter.feed(std::string_view{text}.substr(at, piece)).text;
      ASSERT_LE(filter.held_bytes(), stream_filter::held_bytes_max);
    }
    EXPECT_EQ(out + filter.finish().text, "before [REDACTED_SECRET] after");
  }
}

TEST(stream_filter, ordinary_text_is_given_word_by_word) {
  stream_filter filter{{}};
  EXPECT_EQ(filter.feed("An answer in ").text, "An answer in ");
  EXPECT_EQ(filter.feed("pie").text, "");
  EXPECT_EQ(filter.feed("ces, as it").text, "pieces, as ");
  EXPECT_EQ(filter.feed(" comes").text, "it ");
  EXPECT_EQ(filter.finish().text, "comes");
}

TEST(stream_filter, whole_characters_go_in_and_come_out) {
  std::string text = "\xE2\x82\xAC 5, \xC3\xA4rger \xF0\x9F\x98\x80 jane@example.com\xE3\x80\x82";
  stream_filter filter{{}};
  for (size_t at = 0; at < text.size();) {
    auto end = at + 1;
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80)
      ++end;
    auto given = filter.feed(text.substr(at, end - at)).text;
    EXPECT_TRUE(given.empty() || (static_cast<unsigned char>(given[0]) & 0xC0) != 0x80) << given;
    at = end;
  }
  EXPECT_EQ(filter.finish().text, "");
}

TEST(stream_filter, stays_blocked) {
  content_policy policy;
  policy.set(content_class::email, content_action::block);
  stream_filter filter{policy};
  EXPECT_EQ(filter.feed("Write to ").text, "Write to ");
  EXPECT_TRUE(filter.feed("jane@exam").ok());
  EXPECT_EQ(filter.feed("ple.com today").blocked, content_class::email);
  EXPECT_FALSE(filter.feed("and then").ok());
  EXPECT_FALSE(filter.finish().ok());
}

TEST(stream_filter, counts_what_it_found) {
  stream_filter filter{{}};
  (void)filter.feed("jane@example.com, j");
  (void)filter.feed("oe@example.com 123-45-");
  (void)filter.feed("6789");
  (void)filter.finish();
  EXPECT_EQ(filter.counts().of(content_class::email), 2u);
  EXPECT_EQ(filter.counts().of(content_class::ssn), 1u);
}

void expect_in_time(std::string_view piece, std::string_view begin = {}) {
  std::string text{begin};
  while (text.size() < hostile_bytes)
    text += piece;
  auto start = test::cpu_time();
  auto expected = whole(text);
  stream_filter filter{{}};
  std::string out;
  for (size_t at = 0; at < text.size(); at += 100)
    out += filter.feed(std::string_view{text}.substr(at, 100)).text;
  out += filter.finish().text;
  EXPECT_LT(test::cpu_time() - start, patience) << begin << piece;
  EXPECT_EQ(out, expected);
}

TEST(stream_filter, takes_linear_time) {
  for (auto* piece : {"a",
                      "a ",
                      "1",
                      "1 ",
                      "12-",
                      "+1 ",
                      "(",
                      "(1",
                      "-",
                      "-----BEGIN ",
                      "-----BEGIN A-----\n",
                      ".",
                      "@",
                      "a@",
                      "a.",
                      "a@b.",
                      "ey",
                      "eyJ.",
                      "eyJ-",
                      " eyJhbGciOiJIUzI1NiJ9",
                      "sk-",
                      "-sk-ant-",
                      "sk-proj-1a",
                      "xoxe.",
                      "M.",
                      " key=",
                      "key: 1",
                      "=",
                      "\\n",
                      "%3D",
                      "\\u0022",
                      "\xE2\x80\x91",
                      "1\xE2\x80\x91",
                      "\xFF",
                      "\xC2",
                      "\x80x",
                      "0:",
                      "12345678:a",
                      "1//0",
                      " phone 1"})
    expect_in_time(piece);
  expect_in_time("a", "eyJ");
  expect_in_time("-----END ", "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC");
  expect_in_time("-----END AAAAAAAAAAAAAAA", "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC");
}

TEST(stream_filter, bytes_of_any_kind) {
  std::mt19937 random{5};
  for (int round = 0; round < 200; ++round) {
    std::string text;
    for (size_t i = random() % 3'000; i > 0; --i)
      text += static_cast<char>(random() % 3 == 0 ? random() : "eyJ.@-+=/%\\n0123 sk_(:\""[random() % 24]);
    std::vector<size_t> cuts;
    for (size_t at = random() % 50; at < text.size(); at += random() % 50)
      cuts.push_back(at);
    ASSERT_EQ(in_pieces(text, cuts), whole(text)) << round;
  }
}

} // namespace content_filter_stream_filter_test
