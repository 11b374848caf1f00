// A session of TLS and a client of OpenSSL's, without sockets.
#include "tls_client_side.hpp"
#include "tls_context.hpp"
#include "tls_files_made.hpp"
#include "tls_session.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace http_server_test {

using kind = http::tls_session::reading::kind;

struct tls_session_test : ::testing::Test {
  tls_folder folder;
  http::opened_tls tls = http::open_tls(folder.usual());
  std::unique_ptr<http::tls_session> session = http::tls_session::make(*tls.value);
  std::string received;
  kind last = kind::nothing;

  /// Feeds it in pieces, and reads whatever it gives.
  void feed(std::string_view bytes, size_t piece = http::tls_record_bytes_max) {
    do {
      session->feed(bytes.substr(0, piece));
      bytes.remove_prefix(std::min(piece, bytes.size()));
      read();
    } while (!bytes.empty());
  }
  void read() {
    std::array<char, 1'000> buffer;
    for (;;) {
      auto got = session->read(buffer);
      last = got.what;
      if (got.what != kind::bytes)
        return;
      EXPECT_GT(got.count, 0u);
      received.append(buffer.data(), got.count);
    }
  }
  /// Until both have nothing to say.
  void talk(tls_client_side& with, size_t piece = http::tls_record_bytes_max) {
    for (;;) {
      auto there = with.take_output();
      if (!there.empty())
        feed(there, piece);
      auto back = session->take_output();
      for (size_t at = 0; at < back.size(); at += piece)
        with.feed(std::string_view{back}.substr(at, piece));
      if (there.empty() && back.empty())
        return;
    }
  }
};

TEST_F(tls_session_test, byte_by_byte) {
  for (auto version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    session = http::tls_session::make(*tls.value);
    received.clear();
    tls_client_side client{{version}};
    EXPECT_FALSE(session->is_ready());
    EXPECT_FALSE(session->write("too early"));
    talk(client, 1);
    ASSERT_TRUE(session->is_ready());
    ASSERT_TRUE(client.is_ready());
    client.write("from the client");
    EXPECT_TRUE(session->write("from the server"));
    talk(client, 1);
    EXPECT_EQ(received, "from the client");
    EXPECT_EQ(client.received, "from the server");
    session->end();
    EXPECT_FALSE(session->write("too late"));
    talk(client, 1);
    EXPECT_TRUE(client.has_ended);
    EXPECT_EQ(client.problem, "");
  }
}

TEST_F(tls_session_test, speaks_the_newest_version) {
  tls_client_side client;
  talk(client);
  EXPECT_EQ(client.version(), "TLSv1.3");
  session = http::tls_session::make(*tls.value);
  tls_client_side older{{TLS1_2_VERSION}};
  talk(older);
  EXPECT_EQ(older.version(), "TLSv1.2");
}

TEST_F(tls_session_test, does_not_speak_what_is_broken) {
  for (auto version : {TLS1_VERSION, TLS1_1_VERSION}) {
    session = http::tls_session::make(*tls.value);
    tls_client_side client{{version}};
    talk(client);
    EXPECT_EQ(last, kind::failed);
    EXPECT_FALSE(session->is_ready());
    EXPECT_FALSE(session->met_plain_http());
    EXPECT_FALSE(client.is_ready());
    EXPECT_NE(client.problem.find("alert protocol version"), client.problem.npos) << client.problem;
  }
}

TEST_F(tls_session_test, much_goes_both_ways) {
  tls_client_side client;
  talk(client);
  std::string much(3u << 20, 'x');
  for (size_t i = 0; i < much.size(); ++i)
    much[i] = static_cast<char>(i * 31 + i / 997);
  client.write(much);
  EXPECT_TRUE(session->write(much));
  talk(client);
  EXPECT_TRUE(received == much);
  EXPECT_TRUE(client.received == much);
}

TEST_F(tls_session_test, what_the_client_sends_last_is_read_before_its_end) {
  tls_client_side client;
  talk(client);
  client.write("the last");
  SSL_shutdown(client.ssl());
  talk(client);
  EXPECT_EQ(received, "the last");
  EXPECT_EQ(last, kind::ended);
  EXPECT_TRUE(session->write("an answer")) << "it may still listen";
}

TEST_F(tls_session_test, agrees_on_the_protocol_that_there_is) {
  tls_client_side client{{TLS1_3_VERSION, "\x02h2\x08http/1.1"}};
  talk(client);
  EXPECT_TRUE(client.is_ready());
  EXPECT_EQ(client.protocol(), "http/1.1");
  session = http::tls_session::make(*tls.value);
  tls_client_side other{{TLS1_3_VERSION, "\x02h2"}};
  talk(other);
  EXPECT_EQ(last, kind::failed);
  EXPECT_NE(other.problem.find("no application protocol"), other.problem.npos) << other.problem;
}

TEST_F(tls_session_test, does_not_begin_again) {
  tls_client_side client{{TLS1_2_VERSION}};
  talk(client);
  SSL_renegotiate(client.ssl());
  SSL_do_handshake(client.ssl());
  talk(client);
  EXPECT_NE(client.problem.find("renegotiation"), client.problem.npos) << client.problem;
}

TEST_F(tls_session_test, changes_its_keys) {
  tls_client_side client;
  talk(client);
  for (int i = 0; i < 10; ++i) {
    client.change_keys();
    client.write("x");
    talk(client);
  }
  EXPECT_EQ(received, "xxxxxxxxxx");
  EXPECT_TRUE(session->write("y"));
  talk(client);
  EXPECT_EQ(client.received, "y");
}

TEST_F(tls_session_test, has_no_compression) {
  tls_client_side client{{TLS1_2_VERSION}};
  talk(client);
  EXPECT_EQ(SSL_get_current_compression(client.ssl()), nullptr);
}

TEST_F(tls_session_test, knows_http_without_tls) {
  feed("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(last, kind::failed);
  EXPECT_TRUE(session->met_plain_http());
  feed("more");
  EXPECT_EQ(last, kind::failed);
  EXPECT_FALSE(session->write("x"));
  session->end();
  EXPECT_EQ(session->take_output(), "");
}

TEST_F(tls_session_test, takes_nothing_else) {
  for (auto bytes : {std::string(100, '\0'), std::string(100, '\xff'), std::string("\x16\x03\x01\xff\xff") + "abc"}) {
    session = http::tls_session::make(*tls.value);
    feed(bytes, 1);
    EXPECT_EQ(last, kind::failed);
    EXPECT_FALSE(session->met_plain_http());
  }
}

TEST_F(tls_session_test, fails_for_good_when_something_was_changed_on_the_way) {
  tls_client_side client;
  talk(client);
  client.write("something");
  auto bytes = client.take_output();
  bytes.back() ^= 1;
  feed(bytes);
  EXPECT_EQ(last, kind::failed);
  EXPECT_EQ(received, "");
  talk(client);
  EXPECT_NE(client.problem.find("bad record mac"), client.problem.npos) << client.problem;
}

TEST_F(tls_session_test, may_be_dropped_at_any_time) {
  tls_client_side client;
  auto hello = client.take_output();
  for (size_t count = 0; count <= hello.size(); count += 16) {
    session = http::tls_session::make(*tls.value);
    feed(hello.substr(0, count));
    EXPECT_NE(last, kind::failed);
  }
}

} // namespace http_server_test
