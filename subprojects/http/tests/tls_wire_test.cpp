// A wire of TLS by itself: what it keeps for a client that does not read.
#include "server_tls_fixture.hpp"
#include "tls_context.hpp"
#include "tls_wire.hpp"

namespace http_server_test {

struct tls_wire_test : server_tls_fixture {
  http::opened_tls tls = http::open_tls(*options.tls);
  tcp::acceptor acceptor{io, {asio::ip::make_address("127.0.0.1"), 0}};
  std::shared_ptr<tls_client> client;
  std::shared_ptr<http::tls_wire> wire;
  std::array<char, 1'024> buffer;
  std::optional<asio::error_code> read;
  std::string much = std::string(http::tls_write_bytes_max, 'x');
  bool is_written = false;

  /// Client and wire, whose handshake is done, and for which the system keeps little.
  void shake() {
    tcp::socket there{io};
    there.connect(acceptor.local_endpoint());
    auto here = acceptor.accept();
    here.set_option(asio::socket_base::send_buffer_size(4'096));
    wire = std::make_shared<http::tls_wire>(std::move(here), http::tls_session::make(*tls.value));
    client = std::make_shared<tls_client>(std::move(there), tls_client_side::wishes{});
    client->start();
    read_some();
    EXPECT_TRUE(run_until([&] { return read.has_value(); }));
    EXPECT_FALSE(*read) << "it has become ready";
    EXPECT_TRUE(wire->is_ready());
    EXPECT_TRUE(wait_for_handshake(*client));
  }
  /// Until the system takes no more.
  void fill() {
    do {
      is_written = false;
      wire->write_some({asio::buffer(much)}, [this](asio::error_code failed, size_t) { is_written = !failed; });
    } while (run_until([&] { return is_written; }, 200ms));
  }
  void read_some() {
    read.reset();
    wire->read_some(asio::buffer(buffer), [this](asio::error_code failed, size_t) { read = failed; });
  }
};

TEST_F(tls_wire_test, new_keys_that_nobody_reads_are_not_kept) {
  shake();
  client->is_deaf = true;
  fill();
  read_some();
  constexpr size_t an_answer = 27; // bytes of its record
  size_t asked = 0;
  EXPECT_TRUE(run_until([&] {
    client->side.change_keys();
    client->send("");
    ++asked;
    return read.has_value();
  }));
  EXPECT_EQ(read.value_or(asio::error_code{}), asio::error::no_buffer_space);
  EXPECT_GT(asked, (http::tls_unsent_bytes_max - http::tls_write_bytes_max) / an_answer / 2);
}

TEST_F(tls_wire_test, what_is_parted_with_has_everything_or_is_closed) {
  shake();
  auto socket = wire->part("the last words");
  ASSERT_TRUE(socket);
  EXPECT_EQ(read_all(*client), "the last words");
  EXPECT_TRUE(client->side.has_ended);
  shake();
  EXPECT_FALSE(wire->part(std::string(16u << 20, 'x')));
  read_all(*client);
  EXPECT_FALSE(client->side.has_ended);
}

TEST_F(tls_wire_test, who_waits_is_told_of_the_end) {
  shake();
  read_some();
  wire->close();
  EXPECT_FALSE(read) << "never from inside a call";
  EXPECT_TRUE(run_until([&] { return read.has_value(); }));
  EXPECT_TRUE(*read);
  read_all(*client);
  EXPECT_TRUE(client->side.has_ended);
}

} // namespace http_server_test
