#include "mcp/http_calls.hpp"

#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <boost/json/parse.hpp>
#include <gtest/gtest.h>

#include <vector>

namespace mcp_http_calls_test {

class http_calls_test : public testing::Test {
protected:
  /// To a server that takes connections, and never answers.
  std::shared_ptr<mcp::http_exchange> waiting(uint64_t key) {
    auto exchange = std::make_shared<mcp::http_exchange>(io_.get_executor(), nullptr);
    exchange->start(client_, {"POST", "http://127.0.0.1:" + std::to_string(silent_.local_endpoint().port()) + "/"});
    calls_.begin(key);
    calls_.leaves(key, exchange);
    return exchange;
  }
  std::shared_ptr<mcp::http_exchange> sent(uint64_t key) {
    auto exchange = waiting(key);
    while (!exchange->has_left())
      io_.run_one();
    return exchange;
  }
  void answered(uint64_t key) {
    calls_.take_answers(boost::json::parse(R"({"id":)" + std::to_string(key) + R"(,"result":{}})"));
  }

  asio::io_context io_;
  asio::ip::tcp::acceptor silent_{io_, {asio::ip::make_address("127.0.0.1"), 0}};
  http::client client_{io_};
  mcp::http_calls calls_;
};

TEST_F(http_calls_test, what_is_not_on_its_way_is_taken_back) {
  calls_.begin(1);
  EXPECT_TRUE(calls_.give_up(1));
  EXPECT_TRUE(calls_.is_given_up(1)) << "whoever is about to send it sees that";
  auto exchange = sent(2);
  EXPECT_FALSE(calls_.give_up(2));
  EXPECT_TRUE(calls_.is_given_up(2));
  auto refused = sent(3);
  calls_.waits(3);
  EXPECT_TRUE(calls_.give_up(3)) << "the server wants it later";
  EXPECT_FALSE(calls_.give_up(4));
  EXPECT_FALSE(calls_.is_given_up(4));
}

TEST_F(http_calls_test, what_waits_for_a_connection_is_taken_back_too) {
  auto exchange = waiting(1);
  EXPECT_FALSE(calls_.may_be_carried_out());
  EXPECT_TRUE(calls_.give_up(1));
  EXPECT_TRUE(calls_.is_given_up(1));
  EXPECT_FALSE(calls_.is_open(1)) << "nobody is told what becomes of it";
  while (!exchange->has_ended())
    io_.run_one();
  EXPECT_EQ(exchange->result().failure, http::client_failure::cancelled);
}

TEST_F(http_calls_test, it_is_known_whether_the_server_has_any) {
  calls_.begin(1);
  EXPECT_FALSE(calls_.may_be_carried_out());
  auto exchange = sent(1);
  EXPECT_TRUE(calls_.may_be_carried_out());
  calls_.waits(1);
  EXPECT_FALSE(calls_.may_be_carried_out());
  calls_.begin(0);
  EXPECT_FALSE(calls_.is_open(0));
}

TEST_F(http_calls_test, what_nobody_waits_for_takes_few_connections) {
  std::vector<std::shared_ptr<mcp::http_exchange>> all;
  for (uint64_t key = 1; key <= 3 * mcp::http_remnants_max; ++key) {
    all.push_back(sent(key));
    if (key % 2 == 0)
      answered(key);
    else
      EXPECT_FALSE(calls_.give_up(key));
  }
  // Those that were cancelled end as soon as the client has its turn; no connection is needed for that.
  while (!all[2 * mcp::http_remnants_max - 1]->has_ended())
    io_.run_one();
  EXPECT_EQ(all.front()->result().failure, http::client_failure::cancelled);
}

TEST_F(http_calls_test, a_call_whose_answer_comes_elsewhere_stays_open) {
  auto exchange = sent(1);
  calls_.posted(1);
  calls_.end(1);
  EXPECT_TRUE(calls_.is_open(1));
  while (!exchange->has_ended()) // whatever else comes in answer to the message itself
    io_.run_one();
  EXPECT_TRUE(calls_.may_be_carried_out());
  answered(1);
  EXPECT_FALSE(calls_.is_open(1));
  auto other = sent(2);
  calls_.posted(2);
  EXPECT_FALSE(calls_.give_up(2));
  EXPECT_FALSE(calls_.is_open(2)) << "nobody takes it out later";
}

TEST_F(http_calls_test, the_end_of_its_stream_says_that_one_of_the_later_era_is_given_up) {
  calls_.begin(1, mcp::http_call_kind::closing);
  auto exchange = std::make_shared<mcp::http_exchange>(io_.get_executor(), nullptr);
  exchange->start(client_, {"POST", "http://127.0.0.1:" + std::to_string(silent_.local_endpoint().port()) + "/"});
  calls_.leaves(1, exchange);
  while (!exchange->has_left())
    io_.run_one();
  EXPECT_TRUE(calls_.may_be_carried_out());
  EXPECT_FALSE(calls_.give_up(1)) << "the server may have begun";
  while (!exchange->has_ended())
    io_.run_one();
}

TEST_F(http_calls_test, a_stream_that_stands_open_is_no_work) {
  calls_.begin(1, mcp::http_call_kind::standing);
  auto exchange = std::make_shared<mcp::http_exchange>(io_.get_executor(), nullptr);
  exchange->start(client_, {"POST", "http://127.0.0.1:" + std::to_string(silent_.local_endpoint().port()) + "/"});
  calls_.leaves(1, exchange);
  while (!exchange->has_left())
    io_.run_one();
  EXPECT_FALSE(calls_.may_be_carried_out());
}

} // namespace mcp_http_calls_test
