#include "sandbox/egress/egress_dependencies.hpp"

#include "sandbox/egress/address.hpp"
#include "tests/unit/sandbox/egress/egress_fixture.hpp"

#include <asio/detached.hpp>
#include <asio/thread_pool.hpp>

namespace network_egress_world_test {

class internet : public testing::Test {
protected:
  egress::resolved_name resolve(const std::string& name) { return test::run(io_, world_.resolve(name, {})); }

  asio::io_context io_;
  asio::thread_pool worker_{1};
  egress::egress_dependencies world_ = egress::internet(io_.get_executor(), worker_.get_executor());
};

TEST_F(internet, resolves_by_the_system) {
  auto found = resolve("localhost"); // the one name that every machine knows
  ASSERT_FALSE(found.addresses.empty()) << found.problem;
  for (auto& a : found.addresses)
    EXPECT_TRUE(a.is_loopback()) << a.to_string();
}

TEST_F(internet, says_why_a_name_has_no_address) {
  auto found = resolve("no-such-host.invalid");
  EXPECT_TRUE(found.addresses.empty());
  EXPECT_NE(found.problem, "");
}

TEST_F(internet, leaves_lookups_that_nobody_waits_for) {
  asio::io_context gone;
  asio::thread_pool worker{1};
  auto world = egress::internet(gone.get_executor(), worker.get_executor());
  asio::co_spawn(gone, world.resolve("no-such-host.invalid", {}), asio::detached);
  gone.poll();
} // its answer comes, if ever, to no coroutine

TEST_F(internet, knows_the_addresses_of_this_machine) {
  EXPECT_TRUE(world_.is_ours(asio::ip::make_address("127.0.0.1")));
  EXPECT_TRUE(world_.is_ours(asio::ip::make_address("127.8.9.10"))) << "no interface has it, but a route leads here";
  EXPECT_TRUE(world_.is_ours(asio::ip::make_address("::1")));
  EXPECT_FALSE(world_.is_ours(asio::ip::make_address("93.184.216.34")));
}

asio::awaitable<asio::error_code> dial(const egress::egress_dependencies& world, asio::ip::tcp::socket& socket,
                                       asio::ip::tcp::endpoint to) {
  co_return co_await world.dial(socket, to);
}

TEST_F(internet, dials_exactly_where_it_is_told) {
  test::listener server;
  asio::ip::tcp::socket socket{io_};
  asio::ip::tcp::endpoint there{asio::ip::address_v4::loopback(), server.port()};
  EXPECT_FALSE(test::run(io_, dial(world_, socket, there)));
  EXPECT_EQ(socket.remote_endpoint(), there);
  server.accept();
}

TEST(internet_and_proxy, refuses_what_the_system_resolves_to_loopback) {
  asio::io_context io;
  asio::thread_pool worker{1};
  auto world = egress::internet(io.get_executor(), worker.get_executor());
  for (auto& a : test::run(io, world.resolve("localhost", {})).addresses)
    EXPECT_FALSE(egress::is_public(a));
}

} // namespace network_egress_world_test
