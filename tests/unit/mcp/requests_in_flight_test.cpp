#include "mcp/requests_in_flight.hpp"

#include "messages/limits.hpp"
#include "tests/unit/support/values.hpp"

#include <gtest/gtest.h>

namespace mcp_requests_in_flight_test {

namespace json = boost::json;
namespace code = mcp::rpc_error;
using mcp::revision;
using test::doc;

class requests_in_flight_test : public testing::Test {
protected:
  static std::shared_ptr<const mcp::requester> client(revision spoken) {
    auto out = std::make_shared<mcp::requester>();
    out->spoken = spoken;
    return out;
  }
  mcp::requests_in_flight::opened open(const std::string& id, mcp::stream_number stream = 0,
                                       revision spoken = revision::r2025_11_25, const std::string& params = "{}") {
    auto message = doc(R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":"m","params":)" + params + "}");
    return requests_.open(mcp::classify(message.value()), {stream, nullptr}, client(spoken));
  }

  mcp::requests_in_flight requests_{nullptr};
};

TEST_F(requests_in_flight_test, a_number_is_never_given_twice) {
  auto first = open("1").number;
  EXPECT_EQ(first, 1u);
  EXPECT_TRUE(requests_.take(first));
  EXPECT_FALSE(requests_.take(first));
  EXPECT_EQ(open("1").number, 2u);
  EXPECT_EQ(requests_.count(), 1u);
}

TEST_F(requests_in_flight_test, a_call_that_goes_on_has_the_number_that_it_had) {
  auto first = open("1", 0, revision::r2026_07_28).number;
  (void)requests_.take(first);
  auto message = doc(R"({"jsonrpc":"2.0","id":2,"method":"m"})");
  auto view = mcp::classify(message.value());
  EXPECT_EQ(requests_.open(view, {3, nullptr}, client(revision::r2026_07_28), first).number, first);
  EXPECT_EQ(requests_.number_of(2, 3), first);
  EXPECT_EQ(requests_.number_of(1, 0), 0u);
  EXPECT_EQ(open("1").number, first + 1);
}

TEST_F(requests_in_flight_test, numbers_can_be_shared_by_all_clients) {
  auto last = std::make_shared<mcp::request_number>(40);
  mcp::requests_in_flight one{last}, other{last};
  auto message = doc(R"({"jsonrpc":"2.0","id":1,"method":"m"})");
  auto view = mcp::classify(message.value());
  EXPECT_EQ(one.open(view, {}, client(revision::r2025_11_25)).number, 41u);
  EXPECT_EQ(other.open(view, {}, client(revision::r2025_11_25)).number, 42u);
  EXPECT_EQ(*last, 42u);
}

TEST_F(requests_in_flight_test, keeps_what_an_answer_needs) {
  auto number = open("\"a\"", 7, revision::r2026_07_28, R"({"_meta":{"progressToken":"p"}})").number;
  auto* found = requests_.find(number);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->id, json::value("a"));
  EXPECT_EQ(found->progress_token, json::value("p"));
  EXPECT_EQ(found->path.stream, 7u);
  EXPECT_EQ(found->from->spoken, revision::r2026_07_28);
  EXPECT_EQ(requests_.find(number + 1), nullptr);
}

TEST_F(requests_in_flight_test, only_texts_and_whole_numbers_are_progress_tokens) {
  int id = 0;
  auto token = [&](const std::string& text) {
    auto number = open(std::to_string(++id), 0, revision::r2025_11_25, R"({"_meta":{"progressToken":)" + text + "}}");
    return requests_.find(number.number)->progress_token;
  };
  EXPECT_EQ(token("18446744073709551615"), json::value(UINT64_MAX));
  EXPECT_EQ(token("-3"), json::value(-3));
  for (auto* wrong : {"1.5", "null", "true", "{}", "[1]"})
    EXPECT_TRUE(token(wrong).is_null()) << wrong;
}

TEST_F(requests_in_flight_test, a_progress_token_is_short) {
  auto with = [](size_t bytes) { return R"({"_meta":{"progressToken":")" + std::string(bytes, 't') + R"("}})"; };
  EXPECT_NE(open("1", 0, revision::r2025_11_25, with(mcp::id_bytes_max)).number, 0u);
  auto refused = open("2", 0, revision::r2025_11_25, with(mcp::id_bytes_max + 1));
  EXPECT_EQ(refused.number, 0u);
  EXPECT_EQ(refused.refused.code, code::invalid_params);
  EXPECT_NE(refused.refused.message.find("progressToken"), std::string::npos) << refused.refused.message;
}

TEST_F(requests_in_flight_test, an_id_is_in_use_until_its_request_is_taken) {
  auto first = open("5").number;
  auto second = open("5");
  EXPECT_EQ(second.number, 0u);
  EXPECT_EQ(second.refused.code, code::invalid_request);
  EXPECT_NE(second.refused.message.find("5"), std::string::npos) << second.refused.message;
  EXPECT_TRUE(open("\"5\"").number) << "a text is another id than a number";
  requests_.take(first);
  EXPECT_TRUE(open("5").number);
}

TEST_F(requests_in_flight_test, an_id_of_a_session_is_the_same_on_all_its_streams) {
  EXPECT_TRUE(open("1", 1).number);
  EXPECT_EQ(open("1", 2).number, 0u);
}

TEST_F(requests_in_flight_test, without_a_session_each_stream_has_its_own_ids) {
  auto one = open("1", 1, revision::r2026_07_28).number;
  auto other = open("1", 2, revision::r2026_07_28).number;
  EXPECT_TRUE(one && other);
  EXPECT_EQ(requests_.number_of(1, 1), one);
  EXPECT_EQ(requests_.number_of(1, 2), other);
  EXPECT_EQ(requests_.number_of(1, 3), 0u);
  EXPECT_EQ(requests_.number_of(1, 0), 0u);
}

TEST_F(requests_in_flight_test, on_stdin_both_eras_share_their_ids) {
  auto number = open("1", 0, revision::r2026_07_28).number;
  EXPECT_EQ(requests_.number_of(1, 0), number);
  EXPECT_EQ(open("1", 0, revision::r2025_11_25).number, 0u);
}

TEST_F(requests_in_flight_test, a_session_cancels_from_any_stream) {
  auto number = open("\"x\"", 3).number;
  EXPECT_EQ(requests_.number_of("x", 0), number);
  EXPECT_EQ(requests_.number_of("x", 9), number);
  EXPECT_EQ(requests_.number_of("y", 3), 0u);
}

TEST_F(requests_in_flight_test, an_id_that_looks_like_a_stream_is_no_other_request) {
  EXPECT_TRUE(open("1", 2, revision::r2026_07_28).number);
  EXPECT_EQ(requests_.number_of("2 1", 0), 0u);
  EXPECT_TRUE(open("\"2 1\"").number);
}

TEST_F(requests_in_flight_test, are_found_by_their_stream) {
  auto one = open("1", 4, revision::r2026_07_28).number;
  open("2", 5, revision::r2026_07_28);
  auto other = open("3", 4, revision::r2026_07_28).number;
  EXPECT_EQ(requests_.of_stream(4), (std::vector<mcp::request_number>{one, other}));
  EXPECT_TRUE(requests_.of_stream(6).empty());
}

TEST_F(requests_in_flight_test, subscriptions_are_those_that_were_marked) {
  open("1");
  auto listening = open("2").number;
  EXPECT_TRUE(requests_.subscriptions().empty());
  requests_.find(listening)->is_subscription = true;
  EXPECT_EQ(requests_.subscriptions(), std::vector<mcp::request_number>{listening});
}

TEST_F(requests_in_flight_test, there_is_a_limit) {
  for (size_t i = 0; i < msg::limits::client_requests_max; ++i)
    ASSERT_TRUE(open(std::to_string(i)).number);
  auto refused = open("\"one more\"").refused;
  EXPECT_EQ(refused.code, code::internal_error);
  EXPECT_NE(refused.message.find("Overloaded"), std::string::npos);
  requests_.take(1);
  EXPECT_TRUE(open("\"one more\"").number);
}

} // namespace mcp_requests_in_flight_test
