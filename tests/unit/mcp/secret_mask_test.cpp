#include "mcp/secret_mask.hpp"

#include <boost/json.hpp>
#include <gtest/gtest.h>

namespace mcp_secret_mask_test {

using strings = std::vector<std::string>;

TEST(secret_mask, takes_out_all_of_them) {
  mcp::secret_mask mask{strings{"hunter-2-hunter", "hunter-2-hunter-and-more", "short", "first line\nsecond line"}};
  EXPECT_EQ(mask("key hunter-2-hunter, hunter-2-hunter-and-more", false), "key ***, ***");
  EXPECT_EQ(mask("hunter-2-hunterhunter-2-hunter", false), "******");
  EXPECT_EQ(mask("short hunter-2", false), "short hunter-2") << "what is that short is a word";
  EXPECT_EQ(mask("a first line and a second line", false), "a *** and a ***");
  EXPECT_EQ(mask("", true), "");
}

TEST(secret_mask, takes_out_one_that_is_cut) {
  mcp::secret_mask mask{strings{"hunter-2-hunter"}};
  EXPECT_EQ(mask("key hunter-2-hunt", true), "key ***");
  EXPECT_EQ(mask("key hunter-2-hunt", false), "key hunter-2-hunt");
  EXPECT_EQ(mask("key hunter-2-hunter", true), "key ***");
}

TEST(secret_mask, takes_them_out_of_json_too) {
  mcp::secret_mask mask{strings{"hun\"ter/2\\hunter"}};
  EXPECT_EQ(mask(R"({"key":"hun\"ter/2\\hunter"} and {"key":"hun\"ter\/2\\hunter"} and hun"ter/2\hunter)", false),
            R"({"key":"***"} and {"key":"***"} and ***)");
}

TEST(secret_mask, takes_them_out_of_json_of_any_writer) {
  mcp::secret_mask mask{strings{"tab\tand\x01<\"/ä😀>99"}};
  for (auto* written :
       {R"(tab\tand\u0001<\"/ä😀>99)", R"(tab\tand\u0001\u003c\"/ä😀\u003e99)",
        R"(tab\tand\u0001<\"/\u00e4\ud83d\ude00>99)", R"(tab\tand\u0001<\"\/ä😀>99)",
        R"(tab\tand\u0001<\"\/\u00e4\ud83d\ude00>99)", R"(tab\u0009and\u0001\u003C\u0022/\u00E4\uD83D\uDE00>99)",
        R"(\u0074ab\tand\u0001<\"/ä😀>9\u0039)", R"(tab\\tand\\u0001<\\\"/\\u00E4😀>99)", "tab\tand\x01<\"/ä😀>99"})
    EXPECT_EQ(mask("[" + std::string{written} + "]", false), "[***]");
  EXPECT_EQ(mcp::secret_mask{strings{"no UTF-8: \xff\xe4"}}("is no UTF-8: \xff\xe4!", false), "is ***!");
  EXPECT_EQ((mcp::secret_mask{strings{"first line\r\nsecond line\r\n"}}("a first line, a second line", false)),
            "a ***, a ***");
}

TEST(secret_mask, takes_those_out_that_are_cut_in_json) {
  mcp::secret_mask mask{strings{"p4ss+word<hunter"}};
  for (auto* written :
       {R"(p4ss\u002Bword)", R"(p4ss\u002bword\u003)", R"(p4ss\u002Bword\)", R"(p4ss\u002Bword\u003Chunte)"})
    EXPECT_EQ(mask(R"(a\n=)" + std::string{written}, true), R"(a\n=***)") << written;
  EXPECT_EQ(mask(R"(a\n=p4ss\u002Bword)", false), R"(a\n=p4ss\u002Bword)");
  EXPECT_EQ(mask(R"(\ud83d, \udc00, \u00, \x, \)", false), R"(\ud83d, \udc00, \u00, \x, \)");
}

TEST(secret_mask, takes_them_out_of_urls) {
  mcp::secret_mask mask{strings{"p4ss/wörd+hunter 2=="}};
  for (auto* written : {"p4ss%2Fw%C3%B6rd%2Bhunter%202%3D%3D", "p4ss%2fw%c3%b6rd%2bhunter%202%3d%3d",
                        "p4ss/w%c3%B6rd%2Bhunter%202%3d%3D", "p4ss%2Fw%C3%B6rd%2Bhunter+2%3D%3D",
                        "p4ss/w%C3%B6rd+hunter%202==", "%70%34ss/wörd+hunter 2==", "p4ss/wörd+hunter+2=="})
    EXPECT_EQ(mask("GET https://h/100%/?a=%20&key=" + std::string{written} + "&b=%2F%2", false),
              "GET https://h/100%/?a=%20&key=***&b=%2F%2")
      << written;
  EXPECT_EQ(mask("%2F%zz%2", false), "%2F%zz%2");
}

TEST(secret_mask, takes_those_out_that_are_cut_in_urls) {
  mcp::secret_mask mask{strings{"p4ss/word+hunter"}};
  for (auto* written : {"p4ss%2Fwor", "p4ss%2Fword%2", "p4ss%2Fword%", "p4ss%2Fword%2B", "p4ss%2Fword%2Bhunter%2",
                        "p4ss%2Fword%2Bhunter"})
    EXPECT_EQ(mask("a%20=" + std::string{written}, true), "a%20=***") << written;
  EXPECT_EQ(mask("a%20=p4ss%2Fwor", false), "a%20=p4ss%2Fwor");
  EXPECT_EQ(mask("a%2", true), "a%2");
}

TEST(secret_mask, knows_what_one_of_a_url_means) {
  mcp::secret_mask mask{strings{"p4ss%2Fword%2Bhunter", "%41%42%43"}};
  EXPECT_EQ(mask("p4ss%2Fword%2Bhunter, p4ss/word+hunter, ABC", false), "***, ***, ABC");
}

TEST(secret_mask, nothing_stays_of_one_of_which_a_part_is_one_too) {
  mcp::secret_mask spaced{strings{"correct horse@AbCdEf1234567890XyZ", "AbCdEf1234567890XyZ"}};
  EXPECT_EQ(spaced("?token=correct%20horse%40AbCdEf1234567890XyZ&a=1", false), "?token=***&a=1");
  EXPECT_EQ(spaced("?token=correct+horse@AbCdEf1234567890XyZ, AbCdEf1234567890XyZ", false), "?token=***, ***");
  mcp::secret_mask quoted{strings{"Zq7\"Secret1234567890", "Secret1234567890"}};
  EXPECT_EQ(quoted(R"({"a":["Zq7\"Secret1234567890",{"Zq7\"Secret1234567890":1}]})", false),
            R"({"a":["***",{"***":1}]})");
  EXPECT_EQ(quoted(R"({"a":"Zq7\"Secret12345)", true), R"({"a":"***)");
  mcp::secret_mask overlapping{strings{"first-and-middle", "middle-and-last"}};
  EXPECT_EQ(overlapping("a first-and-middle-and-last", false), "a ***");
}

TEST(secret_mask, counts_lines_and_not_their_spellings) {
  strings many;
  for (int i = 1'000; i < 1'200; ++i)
    many.push_back("<\"/ä " + std::to_string(i));
  EXPECT_EQ(mcp::secret_mask{many}("{" + many.back() + "}", false), "{***}");
}

/// 200 of 4 KB, in 11 spellings each, would be 9 MB.
TEST(secret_mask, knows_spellings_of_the_shorter_ones_while_there_is_room) {
  strings many;
  for (int i = 1'000; i < 1'199; ++i) {
    many.push_back(std::to_string(i) + " <\"/%2Fä");
    while (many.back().size() < 4'000)
      many.back() += "/<é%2F";
  }
  many.emplace_back("short <\"/%2Fä");
  mcp::secret_mask mask{many};
  EXPECT_EQ(mask("{" + many[0] + many[198] + "}", false), "{******}") << "all as they are";
  EXPECT_EQ(mask(R"(short \u003c\"/%2Fä, short <"//ä, short+<\"/%2Fä)", false), "***, ***, ***");
  auto kept = mask.bytes();
  EXPECT_GT(kept, 1u << 20);
  EXPECT_LE(kept, 4u << 20);
}

TEST(secret_mask, knows_long_ones_as_they_are) {
  std::string key = "<\"/ä";
  while (key.size() < 100'000)
    key += std::to_string(key.size()) + "/";
  mcp::secret_mask mask{strings{key}};
  EXPECT_EQ(mask("[" + key + "]", false), "[***]");
  EXPECT_EQ(mask.bytes(), key.size());
}

struct secret_mask_values : testing::Test {
  /// What is shown of it; empty: nothing was there.
  static std::string shown(std::string_view text, const strings& secrets) {
    auto value = boost::json::parse(text);
    mcp::secret_mask mask{secrets};
    bool is_other = mcp::mask_texts(value, [&](std::string each) { return mask(std::move(each), false); });
    EXPECT_EQ(is_other, value != boost::json::parse(text));
    return is_other ? boost::json::serialize(value) : "";
  }
};

TEST_F(secret_mask_values, takes_them_out_of_every_leaf_and_name) {
  EXPECT_EQ(shown(R"({"a":[{"b":"key 12345678"}],"c":null,"d":[1,true]})", {"12345678"}),
            R"({"a":[{"b":"key ***"}],"c":null,"d":[1,true]})");
  EXPECT_EQ(shown(R"({"a":1,"12345678":2,"12345678":3,"x12345678":4,"z":5})", {"12345678"}),
            R"({"a":1,"***":3,"x***":4,"z":5})");
  EXPECT_EQ(shown(R"({"a":["1234567",12345679,false],"isError":true})", {"12345678", "isError"}), "");
  EXPECT_EQ(shown(R"("{\"key\":\"tab\\tand more\"}")", {"tab\tand more"}), R"("{\"key\":\"***\"}")")
    << "JSON in a text";
}

TEST_F(secret_mask_values, a_number_becomes_a_text) {
  EXPECT_EQ(shown(R"({"a":12345678,"b":-12345678,"c":912345678,"d":1.5})", {"12345678"}),
            R"({"a":"***","b":"-***","c":"9***","d":1.5E0})");
  EXPECT_EQ(shown(R"([12345678901234567890123,12345678.25])", {"12345678901234567890123", "12345678.25"}),
            R"(["***","***"])");
}

struct secret_mask_beginnings : testing::Test {
  static inline const std::string secret = "hunter-2-hunter";
  static std::string mask(std::string text) { return mcp::secret_mask{{secret}}(std::move(text), false); }
  static std::string many(size_t n) { return std::string(n, 'x'); }
};

TEST_F(secret_mask_beginnings, are_cut_without_the_beginning_of_a_secret) {
  for (size_t n : {0u, 85u, 90u, 97u, 98u, 99u, 100u, 101u}) {
    auto text = many(n) + secret + many(50);
    auto whole = many(n) + "***" + many(50);
    EXPECT_EQ(mcp::masked_beginning(text, 100, mask), whole.substr(0, 100)) << n;
    EXPECT_EQ(mcp::masked_json(boost::json::value(text), 100, mask), ("\"" + whole + "\"").substr(0, 100)) << n;
    auto excerpt = mcp::masked_excerpt(text, 100, mask);
    EXPECT_EQ(excerpt, whole.size() > 100 ? whole.substr(0, 100) + " [... cut after 100 bytes]" : whole) << n;
  }
  EXPECT_EQ(mcp::masked_beginning("äx", 1, nullptr), "\uFFFD");
  EXPECT_EQ(mcp::masked_json(boost::json::parse(R"({"a":"hunter-2-hunter"})"), 100, mask), R"({"a":"***"})");
}

TEST_F(secret_mask_beginnings, are_those_of_longer_texts_than_are_looked_at) {
  auto window = 100 + mcp::masked_beyond_bytes_max;
  for (auto before : {window - 20, window - 8, window}) { // the secret is cut where nothing more is looked at
    EXPECT_EQ(mcp::masked_beginning(many(before) + secret, 100, mask), many(100));
    EXPECT_EQ(mcp::masked_json(boost::json::value(many(before) + secret), 100, mask), "\"" + many(99));
  }
  auto secrets = std::string{};
  while (secrets.size() <= window)
    secrets += secret;
  EXPECT_EQ(mcp::masked_beginning(secrets, 100, mask), "") << "so short that its end might be a part of one";
  EXPECT_EQ(mcp::masked_excerpt(secrets, 100, mask), " [... cut after 100 bytes]");
}

TEST(secret_mask, without_secrets_changes_nothing) {
  EXPECT_EQ(mcp::secret_mask{strings{}}("anything", true), "anything");
}

} // namespace mcp_secret_mask_test
