#include "actors/child/opening_policy.hpp"

#include "tests/unit/support/values.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace child_opening_policy_test {

using child::opening_policy;
using mcp::client_opening;
using mcp::opening;

class opening_policy_test : public testing::Test {
protected:
  child::era_memory memory() {
    return {[this](const msg::server_entry&) { return known_; },
            [this](const msg::server_entry&, bool is_modern) { kept_ = is_modern; }};
  }
  /// What an opening has come to that got this answer to its first request; empty: none.
  client_opening opened(opening first, const std::string& answer, const std::string& second = {}) {
    client_opening how{[this](std::string_view) { return ++id_; }};
    how.start(first);
    auto take = [&](const std::string& text) {
      auto message = test::doc(R"({"jsonrpc":"2.0","id":1,)" + text + "}");
      how.take(id_, mcp::classify(message.value()), {});
    };
    if (!answer.empty())
      take(answer);
    else
      how.stop_waiting();
    if (!second.empty())
      take(second);
    return how;
  }

  static constexpr auto no_such_method = R"("error":{"code":-32601,"message":"x"})";
  static constexpr auto hands = R"("result":{"protocolVersion":"2025-11-25"})";
  static constexpr auto modern = R"("result":{"supportedVersions":["2026-07-28"]})";

  msg::server_entry entry_;
  opening known_ = opening::discover;
  std::optional<bool> kept_;
  int64_t id_ = 0;
  opening_policy policy_{memory()};
};

TEST_F(opening_policy_test, what_was_learned_is_kept) {
  EXPECT_EQ(policy_.next(entry_), opening::discover);
  policy_.opened(entry_, opened(opening::discover, modern));
  EXPECT_EQ(kept_, true);
  policy_.opened(entry_, opened(opening::discover, no_such_method, hands));
  EXPECT_EQ(kept_, false);
}

TEST_F(opening_policy_test, what_is_known_is_not_asked) {
  known_ = opening::initialize;
  EXPECT_EQ(policy_.next(entry_), opening::initialize);
  EXPECT_FALSE(policy_.failed());
  policy_.opened(entry_, opened(opening::initialize, hands));
  EXPECT_FALSE(kept_);
  entry_.transport = msg::transport_kind::sse;
  known_ = opening::discover;
  EXPECT_EQ(policy_.next(entry_), opening::initialize) << "of 2024-11-05 by definition";
  EXPECT_EQ(opening_policy{{}}.next(msg::server_entry{}), opening::initialize) << "nothing is remembered";
}

TEST_F(opening_policy_test, after_a_failure_it_begins_with_initialize_once) {
  policy_.next(entry_);
  EXPECT_TRUE(policy_.failed());
  EXPECT_EQ(policy_.next(entry_), opening::initialize);
  EXPECT_FALSE(policy_.failed()) << "that was not for what it was asked";
  EXPECT_EQ(policy_.next(entry_), opening::initialize);
  policy_.opened(entry_, opened(opening::initialize, hands));
  EXPECT_EQ(kept_, false) << "a process that ends of the question is not asked again";
  EXPECT_EQ(policy_.next(entry_), opening::discover);
}

TEST_F(opening_policy_test, silence_tells_something_of_processes_only) {
  for (auto [transport, is_kept] :
       {std::pair{msg::transport_kind::streamable_http, false}, std::pair{msg::transport_kind::stdio, true}}) {
    entry_.transport = transport;
    kept_.reset();
    opening_policy policy{memory()};
    policy.next(entry_);
    policy.opened(entry_, opened(opening::discover, "", hands));
    EXPECT_EQ(kept_.has_value(), is_kept);
    EXPECT_EQ(policy.next(entry_), opening::initialize) << "it is not waited for again";
  }
}

TEST_F(opening_policy_test, an_outage_tells_nothing) {
  entry_.transport = msg::transport_kind::automatic;
  policy_.next(entry_);
  policy_.opened(entry_, opened(opening::discover, R"("error":{"code":-31999,"message":"503"})", hands));
  EXPECT_FALSE(kept_);
}

} // namespace child_opening_policy_test
