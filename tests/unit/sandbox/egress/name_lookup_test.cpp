#include "sandbox/egress/name_lookup.hpp"

#include "messages/limits.hpp"
#include "sandbox/egress/address_order.hpp"
#include "testing/coroutines.hpp"
#include "tests/unit/sandbox/egress/name_server.hpp"

#include <asio/post.hpp>
#include <asio/thread_pool.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <fstream>
#include <future>
#include <optional>
#include <sstream>

namespace network_name_lookup_test {

/// One that is under way, or over.
struct asked {
  asio::cancellation_signal stop;
  std::optional<egress::resolved_name> answer;
};

size_t descriptors() {
  std::filesystem::directory_iterator all{"/proc/self/fd"};
  return static_cast<size_t>(std::distance(begin(all), end(all)));
}

constexpr auto nobody_answers = "no name server gave an answer: they can not be reached, or refuse, or fail";

class name_lookup : public testing::Test {
protected:
  egress::resolved_name look_up(const std::string& name) {
    return test::run(io_, egress::look_up_name(where_, name, {}));
  }
  /// Until the server has been asked so many names.
  void begin(std::deque<asked>& all, size_t count) {
    for (size_t i = 0; i < count; ++i) {
      auto& one = all.emplace_back();
      auto name = "silent" + std::to_string(i) + ".example.com";
      asio::co_spawn(io_, egress::look_up_name(where_, name, one.stop.slot()),
                     [&one](const std::exception_ptr&, egress::resolved_name answer) { one.answer = answer; });
    }
    test::run(io_, server_.has_questions(server_.questions() + count));
  }
  void stop(std::deque<asked>& all) {
    for (auto& one : all)
      one.stop.emit(asio::cancellation_type::terminal);
    auto deadline = std::chrono::steady_clock::now() + test::patience;
    io_.restart();
    while (std::any_of(all.begin(), all.end(), [](auto& one) { return !one.answer; })
           && io_.run_one_until(deadline) > 0)
      ;
  }

  asio::io_context io_;
  test::name_server server_{io_};
  asio::thread_pool worker_{1};
  egress::lookup_places where_{io_.get_executor(), worker_.get_executor(), server_.place()};
};

TEST_F(name_lookup, asks_the_name_server) {
  auto found = look_up("www.example.com");
  EXPECT_EQ(found.problem, "");
  EXPECT_EQ(found.addresses, std::vector{asio::ip::make_address("8.8.0.0")});
}

TEST_F(name_lookup, says_why_there_is_no_address) {
  auto found = look_up("nowhere.example.com");
  EXPECT_TRUE(found.addresses.empty());
  EXPECT_EQ(found.problem, "Domain name not found");
  {
    asio::io_context other;
    where_.name_servers = test::name_server{other}.place();
  }
  EXPECT_EQ(look_up("www.example.com").problem, nobody_answers) << "nobody is there any more";
}

TEST_F(name_lookup, says_that_the_name_server_refuses) {
  EXPECT_EQ(look_up("refused.example.com").problem, nobody_answers);
}

TEST_F(name_lookup, what_can_not_be_asked_is_told_at_once) {
  where_.name_servers = "no address";
  auto begin = std::chrono::steady_clock::now();
  EXPECT_NE(look_up("www.example.com").problem, "");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, msg::limits::egress_lookup_timeout / 2);
}

TEST_F(name_lookup, does_not_wait_long_for_the_other_family) {
  auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(look_up("half.example.com").addresses.size(), 1u);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, msg::limits::egress_lookup_timeout / 2);
}

TEST_F(name_lookup, leaves_no_descriptor_when_it_is_stopped) {
  look_up("www.example.com");
  auto before = descriptors();
  std::deque<asked> silent;
  begin(silent, 8);
  EXPECT_GE(descriptors(), before + 8);
  stop(silent);
  EXPECT_EQ(descriptors(), before);
  for (auto& one : silent) {
    ASSERT_TRUE(one.answer);
    EXPECT_TRUE(one.answer->addresses.empty());
    EXPECT_NE(one.answer->problem, "");
  }
}

TEST_F(name_lookup, does_not_wait_for_those_of_others) {
  std::deque<asked> silent;
  begin(silent, 60); // three times what glibc asks at once
  EXPECT_EQ(look_up("www.example.com").addresses.size(), 1u);
  for (auto& one : silent)
    EXPECT_FALSE(one.answer);
  stop(silent);
}

TEST_F(name_lookup, is_stopped_before_it_has_a_socket) {
  auto before = descriptors();
  std::promise<void> goes_on;
  asio::post(worker_, [&] { goes_on.get_future().wait(); });
  std::deque<asked> one(1);
  asio::co_spawn(io_, egress::look_up_name(where_, "www.example.com", one[0].stop.slot()),
                 [&one](const std::exception_ptr&, egress::resolved_name answer) { one[0].answer = answer; });
  io_.poll();
  one[0].stop.emit(asio::cancellation_type::terminal);
  goes_on.set_value();
  stop(one);
  ASSERT_TRUE(one[0].answer);
  EXPECT_TRUE(one[0].answer->addresses.empty());
  EXPECT_LE(descriptors(), before + 1) << "that of the loop's own timer";
}

TEST_F(name_lookup, may_be_left_with_its_loop) {
  auto before = descriptors();
  {
    asio::io_context gone;
    test::name_server server{gone};
    asio::thread_pool worker{1};
    egress::lookup_places there{gone.get_executor(), worker.get_executor(), server.place()};
    asio::co_spawn(gone, egress::look_up_name(there, "silent.example.com", {}), asio::detached);
    test::run(gone, server.has_questions(1));
  }
  EXPECT_EQ(descriptors(), before);
}

TEST_F(name_lookup, cuts_long_answers) {
  auto found = look_up("many.example.com");
  EXPECT_EQ(found.problem, "");
  ASSERT_EQ(found.addresses.size(), msg::limits::egress_addresses_max);
  for (size_t i = 0; i < found.addresses.size(); ++i)
    EXPECT_EQ(found.addresses[i].to_string(), "8.8.0." + std::to_string(i));
}

TEST_F(name_lookup, tells_of_an_address_that_is_not_public_wherever_it_stands) {
  EXPECT_EQ(look_up("many-trap.example.com").addresses, std::vector{asio::ip::make_address("10.1.2.3")});
}

TEST_F(name_lookup, knows_the_names_of_the_hosts_file) {
  std::ifstream file{"/etc/hosts"};
  size_t names = 0;
  for (std::string line, text; std::getline(file, line);) {
    std::istringstream words{line.substr(0, line.find('#'))};
    asio::error_code no_address;
    words >> text;
    auto address = asio::ip::make_address(text, no_address);
    for (std::string name; !no_address && address.is_v4() && words >> name; ++names)
      EXPECT_FALSE(look_up(name).addresses.empty()) << line;
  }
  for (auto& a : look_up("localhost").addresses)
    EXPECT_TRUE(a.is_loopback()) << a.to_string();
  EXPECT_EQ(server_.questions(), 0u) << names;
}

TEST(address_order, puts_last_what_no_route_leads_to) {
  auto here = asio::ip::make_address("127.0.0.1"), also_here = asio::ip::make_address("127.0.0.2");
  asio::ip::address_v6 nowhere{asio::ip::make_address_v6("fe80::1").to_bytes(), 1'000'000}; // no such interface
  std::vector<asio::ip::address> all{nowhere, here, also_here};
  egress::order_by_reach(all);
  EXPECT_EQ(all[0], here);
  EXPECT_EQ(all[1], also_here) << "the order of equal ones stays";
  EXPECT_EQ(all[2], asio::ip::address{nowhere});
}

} // namespace network_name_lookup_test
