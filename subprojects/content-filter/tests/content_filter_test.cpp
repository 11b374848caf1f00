#include "content_filter/filter.hpp"
#include "corpus.hpp"
#include "numbers.hpp"
#include "secret_kinds.hpp"

#include <gtest/gtest.h>
#include <re2/re2.h>

#include <map>

namespace content_filter_content_filter_test {

using namespace content_filter;

constexpr double recall_min = 0.98;

content_policy policy_of(content_class c, content_action action) {
  content_policy policy;
  policy.set(c, action);
  return policy;
}

/// Every secret must be gone as a whole, and nothing else.
void expect_recall(const std::vector<corpus::example>& examples) {
  ASSERT_FALSE(examples.empty());
  size_t found = 0;
  std::map<std::string, std::pair<size_t, std::string>> missed; // of a kind: how many, and the first
  for (auto& e : examples) {
    auto filtered = filter_content(e.text, {});
    ASSERT_TRUE(filtered.ok());
    bool is_clean = filtered.text == e.clean && filtered.counts.of(e.what) > 0;
    found += is_clean;
    if (!is_clean && ++missed[e.kind].first == 1)
      missed[e.kind].second = e.text + "\n became " + filtered.text;
  }
  EXPECT_GE(static_cast<double>(found), recall_min * static_cast<double>(examples.size()));
  for (auto& [kind, what] : missed)
    ADD_FAILURE() << kind << ": " << what.first << " of " << examples.size() << ", the first: " << what.second;
}

TEST(content_filter, finds_secrets_of_services) {
  auto examples = corpus::secrets();
  std::map<std::string, int> kinds;
  for (auto& e : examples)
    ++kinds[e.kind];
  EXPECT_GE(kinds.size(), 70u);
  expect_recall(examples);
}

TEST(content_filter, finds_secrets_by_their_names) { expect_recall(corpus::named_secrets()); }
TEST(content_filter, finds_json_web_tokens) { expect_recall(corpus::tokens()); }
TEST(content_filter, finds_pem_blocks) { expect_recall(corpus::pem_blocks()); }
TEST(content_filter, finds_personal_data) { expect_recall(corpus::personal_data()); }

TEST(content_filter, leaves_look_alikes_alone) {
  for (auto& text : corpus::look_alikes())
    for (auto& around :
         {text, "see " + text + " here", "{\"x\":\"" + text + "\"}", "x = '" + text + "';\n", "(" + text + ").\n"}) {
      auto filtered = filter_content(around, {});
      ASSERT_TRUE(filtered.ok());
      EXPECT_EQ(filtered.text, around);
    }
}

TEST(content_filter, takes_the_whole_secret_however_long) {
  for (size_t length : {100u, 255u, 256u, 257u, 5'000u, 100'000u}) {
    auto secret = corpus::made("<sk-><proj-1a2b3c>w" + std::to_string(length), 7);
    EXPECT_EQ(filter_content("key " + secret + " end", {}).text, "key [REDACTED_SECRET] end") << length;
  }
}

TEST(content_filter, several_in_one_text) {
  auto key = corpus::made("<gh><p_>a34<1a>", 1), other = corpus::made("<xa><i->a80", 2);
  auto filtered = filter_content(key + "," + other + " jane@example.com;" + key, {});
  EXPECT_EQ(filtered.text, "[REDACTED_SECRET],[REDACTED_SECRET] [REDACTED_PII];[REDACTED_SECRET]");
  EXPECT_EQ(filtered.counts.of(content_class::secret), 3u);
  EXPECT_EQ(filtered.counts.of(content_class::email), 1u);
}

TEST(content_filter, what_is_found_in_a_url_ends_where_it_ends) {
  auto key = corpus::made("<gh><p_>a34<1a>", 1);
  EXPECT_EQ(filter_content("https://x:" + key + "@github.com/a/b.git", {}).text,
            "https://x:[REDACTED_SECRET]@github.com/a/b.git");
}

TEST(content_filter, an_open_pem_block_takes_the_rest) {
  auto begin = "-----BEGIN PRIVATE KEY-----\n" + corpus::made("b64", 1) + "\n";
  EXPECT_EQ(filter_content("a " + begin + "more\n-----END", {}).text, "a [REDACTED_SECRET]");
}

TEST(content_filter, two_pem_blocks_with_nothing_between) {
  auto block = "-----BEGIN CERTIFICATE-----\n" + corpus::made("b64", 1) + "\n-----END CERTIFICATE-----";
  EXPECT_EQ(filter_content(block + block + "x", {}).text, "[REDACTED_SECRET][REDACTED_SECRET]x");
}

TEST(content_filter, a_class_may_be_allowed) {
  for (auto& e : corpus::all()) {
    auto filtered = filter_content(e.text, policy_of(e.what, content_action::allow));
    ASSERT_TRUE(filtered.ok());
    EXPECT_EQ(filtered.text, e.text) << e.kind;
    EXPECT_GT(filtered.counts.of(e.what), 0u) << e.kind;
  }
}

TEST(content_filter, a_class_may_be_blocked_and_the_text_is_not_told) {
  for (auto& e : corpus::all()) {
    auto filtered = filter_content(e.text, policy_of(e.what, content_action::block));
    ASSERT_FALSE(filtered.ok()) << e.kind;
    EXPECT_EQ(filtered.blocked, e.what);
    EXPECT_TRUE(filtered.text.empty());
  }
  EXPECT_EQ(refusal(content_class::card),
            "The text contains the number of a payment card, and the content filter blocks the class 'card'.");
}

TEST(content_filter, blocking_one_class_lets_the_others_be) {
  EXPECT_TRUE(filter_content("jane@example.com", policy_of(content_class::phone, content_action::block)).ok());
}

TEST(content_filter, its_own_marks_are_left_alone) {
  auto text = "key=" + std::string{secret_mark} + " mail: " + std::string{personal_mark};
  EXPECT_EQ(filter_content(text, {}).text, text);
}

TEST(content_filter, filtering_twice_changes_nothing) {
  for (auto& e : corpus::all()) {
    auto once = filter_content(e.text, {}).text;
    EXPECT_EQ(filter_content(once, {}).text, once) << e.kind;
  }
}

TEST(content_filter, classes_have_names) {
  for (size_t i = 0; i < content_classes; ++i) {
    auto c = content_class::secret;
    EXPECT_TRUE(parse_content_class(to_string(static_cast<content_class>(i)), c));
    EXPECT_EQ(static_cast<size_t>(c), i);
  }
  auto c = content_class::secret;
  EXPECT_FALSE(parse_content_class("Secret", c));
}

TEST(content_filter, every_pattern_is_one) {
  for (auto& kind : secret_kinds()) {
    EXPECT_TRUE(re2::RE2(kind.rest).ok()) << kind.service;
    EXPECT_FALSE(kind.prefix.empty()) << kind.service;
  }
  for (auto& kind : named_kinds())
    EXPECT_TRUE(re2::RE2(kind.value).ok()) << kind.service;
}

TEST(content_filter, check_digits) {
  EXPECT_TRUE(has_check_digit("4111 1111 1111 1111"));
  EXPECT_FALSE(has_check_digit("4111111111111112"));
  EXPECT_TRUE(is_of_card_brand("378282246310005"));
  EXPECT_FALSE(is_of_card_brand("1234567890123456"));
  EXPECT_TRUE(has_calling_code("4930123"));
  EXPECT_FALSE(has_calling_code("2147483647"));
  EXPECT_FALSE(has_calling_code(""));
}

} // namespace content_filter_content_filter_test
