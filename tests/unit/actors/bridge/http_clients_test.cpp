#include "actors/bridge/http_clients.hpp"

#include "tests/unit/mcp/recorded_exchange.hpp"

#include <gtest/gtest.h>

#include <set>

namespace actors_bridge_http_clients_test {

using bridge::http_identity;

class http_clients_test : public testing::Test {
protected:
  static std::shared_ptr<test::recorded_exchange> reader() { return std::make_shared<test::recorded_exchange>(); }
  void sweep(const std::string& revoked = "") {
    clients_.sweep([&](const std::string& token) { return token == revoked; });
  }
  static void forget_for(const bridge::http_client_ptr& client, std::chrono::milliseconds time) {
    client->used = std::chrono::steady_clock::now() - time;
  }
  bool is_there(const bridge::http_client_ptr& client) const {
    return clients_.numbered(client->opening.connection) == client;
  }

  const http_identity one_{"", 1}, two_{"", 2};
  const http_identity laptop_{"laptop", 3}, laptop_again_{"laptop", 4}, phone_{"phone", 5};
  config::http_settings settings_;
  std::vector<uint32_t> ended_;
  std::set<uint64_t> closed_; ///< connections
  bridge::http_clients clients_{settings_, [] { return asio::any_io_executor{}; },
                                [this](const bridge::http_client& c) { ended_.push_back(c.opening.connection); },
                                [this](uint64_t connection) { return !closed_.contains(connection); }};
};

// ---- who is who --------------------------------------------------------------------------------

TEST_F(http_clients_test, each_session_has_an_id_that_can_not_be_guessed) {
  std::set<std::string> ids;
  for (int i = 0; i < 20; ++i) {
    auto id = clients_.begin_session(one_)->session_id;
    EXPECT_GE(id.size(), 32u);
    EXPECT_TRUE(std::all_of(id.begin(), id.end(), [](char c) { return c > 0x20 && c < 0x7f; })) << id;
    ids.insert(id);
  }
  EXPECT_EQ(ids.size(), 20u);
}

TEST_F(http_clients_test, a_session_is_found_by_its_id_from_any_connection) {
  auto client = clients_.begin_session(one_);
  EXPECT_EQ(clients_.find(client->session_id, two_), client);
  EXPECT_EQ(clients_.find("other", one_), nullptr);
  EXPECT_EQ(clients_.find("", one_), nullptr);
}

TEST_F(http_clients_test, a_session_belongs_to_its_token) {
  auto client = clients_.begin_session(laptop_);
  EXPECT_EQ(clients_.find(client->session_id, laptop_again_), client);
  EXPECT_EQ(clients_.find(client->session_id, phone_), nullptr);
  EXPECT_EQ(clients_.find(client->session_id, one_), nullptr);
  auto without = clients_.begin_session(one_);
  EXPECT_EQ(clients_.find(without->session_id, laptop_), nullptr);
}

TEST_F(http_clients_test, without_sessions_a_client_is_its_connection_or_its_token) {
  auto of_one = clients_.begin(one_);
  auto of_laptop = clients_.begin(laptop_);
  EXPECT_EQ(clients_.find(one_), of_one);
  EXPECT_EQ(clients_.find(two_), nullptr);
  EXPECT_EQ(clients_.find(laptop_again_), of_laptop);
  EXPECT_EQ(clients_.find(phone_), nullptr);
}

TEST_F(http_clients_test, a_session_is_no_client_without_one) {
  clients_.begin_session(one_);
  clients_.begin_session(laptop_);
  EXPECT_EQ(clients_.find(one_), nullptr);
  EXPECT_EQ(clients_.find(laptop_), nullptr);
}

TEST_F(http_clients_test, a_token_is_no_connection) {
  auto named = clients_.begin({"1", 9});
  EXPECT_EQ(clients_.find({"", 1}), nullptr);
  EXPECT_NE(clients_.begin({"", 1})->opening.owner, named->opening.owner);
}

TEST_F(http_clients_test, what_is_owned_belongs_to_a_session_or_to_all_of_a_token) {
  auto first = clients_.begin_session(one_)->opening;
  auto second = clients_.begin_session(one_)->opening;
  EXPECT_NE(first.owner, second.owner);
  EXPECT_NE(first.client, second.client);
  EXPECT_FALSE(first.comes_back);
  auto here = clients_.begin_session(laptop_)->opening;
  auto there = clients_.begin_session(laptop_again_)->opening;
  auto sessionless = clients_.begin(laptop_)->opening;
  EXPECT_EQ(here.owner, there.owner);
  EXPECT_EQ(here.owner, sessionless.owner);
  EXPECT_EQ(here.client, there.client);
  EXPECT_NE(here.connection, there.connection);
  EXPECT_TRUE(here.comes_back);
}

TEST_F(http_clients_test, numbers_are_those_of_no_other) {
  std::set<uint32_t> connections{1}; // of stdin
  std::set<uint64_t> numbers{1};
  for (int i = 0; i < 5; ++i) {
    auto client = clients_.begin_session(one_);
    EXPECT_TRUE(connections.insert(client->opening.connection).second);
    EXPECT_TRUE(numbers.insert(client->opening.client).second);
    clients_.end(client->opening.connection);
  }
}

// ---- how long ----------------------------------------------------------------------------------

TEST_F(http_clients_test, who_is_ended_is_told_of_once_and_its_streams_close) {
  auto client = clients_.begin_session(one_);
  auto to = reader();
  client->streams->open_own(to, {});
  clients_.end(client->opening.connection);
  clients_.end(client->opening.connection);
  EXPECT_EQ(ended_, std::vector<uint32_t>{client->opening.connection});
  EXPECT_EQ(to->ends, 1);
  EXPECT_EQ(clients_.find(client->session_id, one_), nullptr);
  EXPECT_EQ(clients_.count(), 0u);
}

TEST_F(http_clients_test, who_is_idle_for_long_is_forgotten) {
  auto session = clients_.begin_session(one_);
  auto token = clients_.begin(laptop_);
  for (auto& each : {session, token})
    forget_for(each, settings_.session_idle_max - std::chrono::seconds{10});
  sweep();
  EXPECT_EQ(clients_.count(), 2u);
  for (auto& each : {session, token})
    forget_for(each, settings_.session_idle_max + std::chrono::seconds{1});
  sweep();
  EXPECT_EQ(clients_.count(), 0u);
  EXPECT_EQ(ended_.size(), 2u);
}

TEST_F(http_clients_test, only_who_has_nothing_but_its_connection_ends_with_it) {
  auto session = clients_.begin_session(one_);
  auto connection = clients_.begin(one_);
  auto other = clients_.begin(two_);
  auto token = clients_.begin(laptop_);
  closed_ = {one_.connection, laptop_.connection};
  sweep();
  EXPECT_TRUE(is_there(session));
  EXPECT_FALSE(is_there(connection));
  EXPECT_TRUE(is_there(other));
  EXPECT_TRUE(is_there(token));
}

TEST_F(http_clients_test, who_reads_a_stream_is_not_idle) {
  auto client = clients_.begin_session(one_);
  auto to = reader();
  client->streams->open_own(to, {});
  forget_for(client, settings_.session_idle_max * 2);
  sweep();
  EXPECT_TRUE(is_there(client));
  to->leave();
  sweep();
  EXPECT_TRUE(is_there(client)) << "its time begins when it has gone";
  forget_for(client, settings_.session_idle_max * 2);
  sweep();
  EXPECT_FALSE(is_there(client));
}

TEST_F(http_clients_test, a_revoked_token_ends_all_its_clients) {
  auto session = clients_.begin_session(laptop_);
  auto sessionless = clients_.begin(laptop_again_);
  auto other = clients_.begin(phone_);
  auto without = clients_.begin_session(one_);
  auto to = reader();
  session->streams->open_own(to, {});
  sweep("laptop");
  EXPECT_FALSE(is_there(session));
  EXPECT_FALSE(is_there(sessionless));
  EXPECT_TRUE(is_there(other));
  EXPECT_TRUE(is_there(without));
  EXPECT_EQ(to->ends + to->aborts, 1);
}

TEST_F(http_clients_test, the_idlest_makes_room_for_a_new_one) {
  settings_.sessions_max = 3;
  auto oldest = clients_.begin_session(one_);
  auto busy = clients_.begin_session(one_);
  auto young = clients_.begin(one_);
  busy->streams->open(reader(), mcp::resumption::offered, {});
  forget_for(busy, std::chrono::minutes{10});
  forget_for(oldest, std::chrono::minutes{5});
  EXPECT_TRUE(clients_.begin_session(two_));
  EXPECT_FALSE(is_there(oldest));
  EXPECT_TRUE(is_there(busy));
  EXPECT_TRUE(is_there(young));
  EXPECT_EQ(clients_.count(), 3u);
}

TEST_F(http_clients_test, who_has_left_makes_room_before_all_others) {
  settings_.sessions_max = 2;
  auto session = clients_.begin_session(one_);
  auto left = clients_.begin(two_);
  left->requests = 100;
  closed_ = {two_.connection};
  forget_for(session, std::chrono::minutes{20});
  EXPECT_TRUE(clients_.begin_session(one_));
  EXPECT_TRUE(is_there(session));
  EXPECT_FALSE(is_there(left));
}

TEST_F(http_clients_test, who_only_opens_sessions_drives_out_nobody_who_works) {
  settings_.sessions_max = 6;
  auto worker = clients_.begin_session(one_);
  worker->requests = 5;
  auto of_phone = clients_.begin_session(phone_);
  for (auto& each : {worker, of_phone})
    forget_for(each, std::chrono::minutes{20});
  for (int i = 0; i < 20; ++i)
    EXPECT_TRUE(clients_.begin_session(laptop_));
  for (int i = 0; i < 20; ++i)
    EXPECT_TRUE(clients_.begin_session(two_));
  EXPECT_TRUE(is_there(worker));
  EXPECT_TRUE(is_there(of_phone));
}

TEST_F(http_clients_test, who_listens_gives_way_to_a_smaller_party) {
  settings_.sessions_max = 4;
  for (int i = 0; i < 3; ++i)
    clients_.begin_session(laptop_)->streams->open_own(reader(), {});
  auto idle = clients_.begin_session(phone_);
  EXPECT_TRUE(clients_.begin_session(one_));
  EXPECT_TRUE(is_there(idle)) << "it is one of few";
  EXPECT_TRUE(clients_.begin_session(laptop_));
  EXPECT_FALSE(is_there(idle)) << "of those that do not listen";
}

TEST_F(http_clients_test, nobody_goes_who_is_busy) {
  settings_.sessions_max = 2;
  for (int i = 0; i < 2; ++i)
    clients_.begin_session(one_)->streams->open(reader(), mcp::resumption::none, {});
  EXPECT_EQ(clients_.begin_session(two_), nullptr);
  EXPECT_EQ(clients_.begin(two_), nullptr);
  EXPECT_EQ(clients_.count(), 2u);
  EXPECT_TRUE(ended_.empty());
}

// ---- all of them -------------------------------------------------------------------------------

TEST_F(http_clients_test, what_nobody_has_read_counts_for_all) {
  auto first = clients_.begin_session(one_), second = clients_.begin_session(two_);
  auto to = reader();
  to->unsent = 30;
  first->streams->open(to, mcp::resumption::none, {});
  second->written_bytes = 12;
  EXPECT_EQ(first->unread_bytes(), 30u);
  EXPECT_EQ(clients_.unread_bytes(), 42u);
}

TEST_F(http_clients_test, every_stream_is_closed_at_the_end) {
  auto one = reader(), other = reader();
  clients_.begin_session(one_)->streams->open_own(one, {});
  clients_.begin_session(two_)->streams->open_own(other, {});
  clients_.close_streams();
  EXPECT_EQ(one->ends, 1);
  EXPECT_EQ(other->ends, 1);
}

} // namespace actors_bridge_http_clients_test
