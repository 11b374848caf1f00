// What the gate makes of bytes, whole and one by one.
#include "gate.hpp"

#include <gtest/gtest.h>

namespace http_gate_test {

using namespace std::literals;

struct outcome {
  std::vector<http::request> requests;
  uint16_t refused = 0; ///< 0: it was not
  std::string sentence;
  http::gate::place at = http::gate::place::idle;
};

struct http_gate : ::testing::Test {
  std::shared_ptr<http::body_budget> budget = std::make_shared<http::body_budget>(1'000);
  http::gate_limits limits{500, 100};

  /// Given in pieces of that length.
  outcome read(std::string_view text, size_t piece) {
    http::gate door{limits, budget, 7, {}};
    outcome out;
    while (!text.empty()) {
      auto used = door.take(text.substr(0, piece));
      text.remove_prefix(used);
      if (door.at() == http::gate::place::complete)
        out.requests.push_back(door.take_arrival().asked);
      if (door.at() != http::gate::place::refused)
        continue;
      auto answer = door.take_refusal();
      out.refused = answer.status;
      out.sentence = answer.body;
      break;
    }
    out.at = door.at();
    return out;
  }
  /// The same, whatever the pieces.
  outcome read(std::string_view text) {
    auto whole = read(text, text.size());
    for (size_t piece : {1, 2, 3, 7}) {
      auto other = read(text, piece);
      EXPECT_EQ(other.refused, whole.refused) << text;
      EXPECT_EQ(other.sentence, whole.sentence) << text;
      EXPECT_EQ(other.requests.size(), whole.requests.size()) << text;
      for (size_t i = 0; i < std::min(other.requests.size(), whole.requests.size()); ++i) {
        EXPECT_EQ(other.requests[i].body, whole.requests[i].body) << text;
        EXPECT_EQ(other.requests[i].head.path, whole.requests[i].head.path) << text;
      }
    }
    return whole;
  }
  uint16_t status(std::string_view text) { return read(text).refused; }
  static std::string with(const std::string& fields) { return "POST / HTTP/1.1\r\nHost: a\r\n" + fields + "\r\n\r\n"; }
};

TEST_F(http_gate, reads_requests_one_after_the_other) {
  auto got = read("\r\nGET /a?b=c HTTP/1.1\r\nHost: h\r\nEMPTY:\r\nA: 1\r\na: 2\r\n\r\n"
                  "POST /d HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nxyz\r\n"
                  "POST /e HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: Chunked\r\n\r\n"
                  "2\r\nab\r\nA ; x=\"y\"\r\n0123456789\r\n00\r\nT: 1\r\nU:\r\n\r\n"
                  "GET /f HTTP/1.0\r\n\r\n");
  EXPECT_EQ(got.refused, 0) << got.sentence;
  ASSERT_EQ(got.requests.size(), 4u);
  EXPECT_EQ(got.requests[0].head.path, "/a");
  EXPECT_EQ(got.requests[0].head.query, "b=c");
  EXPECT_EQ(got.requests[0].head.connection, 7u);
  auto& fields = got.requests[0].head.fields;
  ASSERT_EQ(fields.size(), 4u);
  EXPECT_EQ(fields[1].name + "=" + fields[1].value, "empty=");
  EXPECT_EQ(fields[3].name + "=" + fields[3].value, "a=2");
  EXPECT_EQ(got.requests[1].body, "xyz");
  EXPECT_EQ(got.requests[2].body, "ab0123456789");
  EXPECT_EQ(got.at, http::gate::place::idle);
}

TEST_F(http_gate, knows_how_an_answer_has_to_look) {
  auto form = [&](std::string_view text) {
    http::gate door{limits, budget, 1, {}};
    door.take(text);
    return door.take_arrival().form;
  };
  EXPECT_TRUE(form("GET / HTTP/1.1\r\nHost: a\r\n\r\n").stays_open);
  EXPECT_FALSE(form("GET / HTTP/1.1\r\nHost: a\r\nConnection: x, CLOSE\r\n\r\n").stays_open);
  EXPECT_FALSE(form("GET / HTTP/1.0\r\n\r\n").stays_open);
  EXPECT_TRUE(form("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n").stays_open);
  EXPECT_FALSE(form("GET / HTTP/1.0\r\n\r\n").has_chunks);
  EXPECT_TRUE(form("GET / HTTP/1.1\r\nHost: a\r\n\r\n").has_chunks);
  EXPECT_FALSE(form("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n").has_body);
}

TEST_F(http_gate, says_where_it_is) {
  http::gate door{limits, budget, 1, {}};
  EXPECT_EQ(door.at(), http::gate::place::idle);
  door.take("\r\n");
  EXPECT_EQ(door.at(), http::gate::place::idle);
  door.take("P");
  EXPECT_EQ(door.at(), http::gate::place::head);
  door.take("OST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r");
  EXPECT_EQ(door.at(), http::gate::place::head);
  door.take("\n");
  EXPECT_EQ(door.at(), http::gate::place::body);
  EXPECT_EQ(door.take("abGET"), 2u);
  EXPECT_EQ(door.at(), http::gate::place::complete);
  EXPECT_EQ(door.take("GET"), 0u);
}

TEST_F(http_gate, refuses_what_two_readers_could_read_in_two_ways) {
  for (auto& fields : {"Content-Length: 4\r\nTransfer-Encoding: chunked"s,
                       "Transfer-Encoding: chunked\r\nContent-Length: 4"s,
                       "Content-Length: 4\r\nContent-Length: 5"s,
                       "Content-Length: 4\r\nContent-Length: 4"s,
                       "Content-Length: 4, 4"s,
                       "Content-Length: +4"s,
                       "Content-Length: -4"s,
                       "Content-Length: 0x4"s,
                       "Content-Length: 4 4"s,
                       "Content-Length:"s,
                       "Content-Length: 99999999999999999999999"s,
                       "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked"s,
                       "Content-Length : 4"s,
                       "Transfer-Encoding : chunked"s,
                       "Transfer-Encoding\t: chunked"s,
                       "X: 1\r\n Content-Length: 4"s,
                       "X: 1\r\n\tTransfer-Encoding: chunked"s,
                       "X: a\0b"s,
                       "X: a\rContent-Length: 4"s,
                       "Content\x80Length: 4"s,
                       "Host: b"s,
                       "No colon"s,
                       ": no name"s}) {
    auto got = read(with(fields) + "0\r\n\r\n");
    EXPECT_EQ(got.refused, 400) << fields << got.sentence;
    EXPECT_TRUE(got.requests.empty()) << fields;
  }
}

TEST_F(http_gate, knows_one_transfer_encoding) {
  for (auto coding :
       {"gzip", "gzip, chunked", "chunked, gzip", "identity", "xchunked", "chunked, chunked", "\"chunked\""})
    EXPECT_NE(status(with("Transfer-Encoding: "s + coding) + "0\r\n\r\n"), 0) << coding;
  EXPECT_EQ(status("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"), 400);
}

TEST_F(http_gate, chunks_are_read_strictly) {
  auto head = with("Transfer-Encoding: chunked");
  for (auto& body :
       {"5\rXhello\r\n0\r\n\r\n"s, "5\nhello\r\n0\r\n\r\n"s, "5\r\nhelloXX0\r\n\r\n"s, "5\r\nhello\n0\r\n\r\n"s,
        "\r\nhello\r\n0\r\n\r\n"s, "0x5\r\nhello\r\n0\r\n\r\n"s, "-5\r\nhello\r\n0\r\n\r\n"s, "g\r\n"s, ";x\r\n"s,
        "5;a\nb\r\nhello\r\n"s, "0\r\nX: a\nb\r\n\r\n"s, "0\r\n\rX"s, "0000000000000000\r\n\r\n"s,
        "ffffffffffffffffff\r\n"s, "5\r\nhello5\r\nhello\r\n0\r\n\r\n"s, " 5\r\nhello\r\n0\r\n\r\n"s}) {
    auto got = read(head + body);
    EXPECT_EQ(got.refused, 400) << body << got.sentence;
    EXPECT_TRUE(got.requests.empty()) << body;
  }
}

TEST_F(http_gate, framing_of_chunks_has_a_size) {
  limits.body_bytes_max = 1u << 20;
  budget = std::make_shared<http::body_budget>(1u << 20);
  auto head = with("Transfer-Encoding: chunked");
  EXPECT_EQ(status(head + "1;" + std::string(200'000, 'x')), 413);
  EXPECT_EQ(status(head + "0\r\nX: " + std::string(200'000, 'x')), 413);
  std::string small;
  for (int i = 0; i < 30'000; ++i)
    small += "1\r\nx\r\n";
  EXPECT_EQ(read(head + small + "0\r\n\r\n").requests.size(), 1u);
}

TEST_F(http_gate, a_request_names_its_host_and_its_path) {
  EXPECT_EQ(status("GET / HTTP/1.1\r\n\r\n"), 400);
  EXPECT_EQ(status("GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n"), 400);
  EXPECT_EQ(status("CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n"), 501);
  EXPECT_EQ(status("GET /a#b HTTP/1.1\r\nHost: a\r\n\r\n"), 400);
  EXPECT_EQ(status("GET /\xc3\xa4 HTTP/1.1\r\nHost: a\r\n\r\n"), 400);
  EXPECT_EQ(status("GET / HTTP/2.0\r\nHost: a\r\n\r\n"), 505);
  EXPECT_EQ(status("GET http://evil/ HTTP/1.1\r\nHost: a\r\n\r\n"), 400);
  EXPECT_EQ(status("GET ftp://a/ HTTP/1.1\r\nHost: a\r\n\r\n"), 400);
  auto absolute = read("GET http://A:1/x?y HTTP/1.1\r\nHost: a:1\r\n\r\nGET http://a?z HTTP/1.1\r\nHost: a\r\n\r\n"
                       "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n");
  ASSERT_EQ(absolute.requests.size(), 3u) << absolute.sentence;
  EXPECT_EQ(absolute.requests[0].head.path, "/x");
  EXPECT_EQ(absolute.requests[1].head.path, "/");
  EXPECT_EQ(absolute.requests[1].head.query, "z");
  EXPECT_EQ(absolute.requests[2].head.path, "*");
}

TEST_F(http_gate, a_head_may_have_exactly_so_many_bytes) {
  auto head = [](size_t bytes) {
    auto start = "GET / HTTP/1.1\r\nHost: a\r\nX: "s;
    return start + std::string(bytes - start.size() - 4, 'x') + "\r\n\r\n";
  };
  EXPECT_EQ(read(head(500)).requests.size(), 1u);
  EXPECT_EQ(status(head(501)), 431);
  EXPECT_EQ(status(head(5'000)), 431);
}

TEST_F(http_gate, a_body_may_have_exactly_so_many_bytes) {
  std::string body(100, 'x');
  EXPECT_EQ(read(with("Content-Length: 100") + body).requests.size(), 1u);
  EXPECT_EQ(status(with("Content-Length: 101")), 413);
  auto chunks = with("Transfer-Encoding: chunked");
  EXPECT_EQ(read(chunks + "64\r\n" + body + "\r\n0\r\n\r\n").requests.size(), 1u);
  EXPECT_EQ(status(chunks + "65\r\n"), 413);
  EXPECT_EQ(status(chunks + "63\r\n" + body.substr(1) + "\r\n2\r\n"), 413);
  EXPECT_EQ(status(chunks + "fffffffffffffff\r\n"), 413);
}

TEST_F(http_gate, bodies_are_counted_as_they_come_until_they_are_dropped) {
  limits.small_body_bytes = 10;
  budget = std::make_shared<http::body_budget>(100);
  http::gate first{limits, budget, 1, {}};
  first.take(with("Content-Length: 80"));
  EXPECT_EQ(budget->taken(), 0u) << "it was only announced";
  first.take(std::string(80, 'x'));
  EXPECT_EQ(budget->taken(), 70u);
  EXPECT_EQ(status(with("Content-Length: 50") + std::string(50, 'x')), 503);
  EXPECT_EQ(status(with("Transfer-Encoding: chunked") + "32\r\n" + std::string(50, 'x')), 503);
  EXPECT_EQ(read(with("Content-Length: 10") + std::string(10, 'x')).requests.size(), 1u) << "small ones always come";
  EXPECT_EQ(budget->taken(), 70u);
  {
    auto came = first.take_arrival();
    EXPECT_EQ(budget->taken(), 70u);
    auto held = came.asked.held;
    came = {};
    EXPECT_EQ(budget->taken(), 70u);
  }
  EXPECT_EQ(budget->taken(), 0u);
  {
    http::gate lost{limits, budget, 1, {}};
    lost.take(with("Transfer-Encoding: chunked") + "50\r\n" + std::string(30, 'x'));
    EXPECT_EQ(budget->taken(), 20u);
  }
  EXPECT_EQ(budget->taken(), 0u);
}

TEST_F(http_gate, asks_once_before_the_body) {
  int asked = 0;
  std::string seen;
  http::gate door{limits, budget, 1, [&](const http::request_head& head) -> std::optional<http::response> {
                    ++asked;
                    seen = head.path;
                    return http::response{403, "", "no", {}};
                  }};
  door.take("POST /p HTTP/1.1\r\nHost: a\r\nContent-Length: 50\r\n\r");
  EXPECT_EQ(asked, 0);
  door.take("\nabc");
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(seen, "/p");
  ASSERT_EQ(door.at(), http::gate::place::refused);
  EXPECT_EQ(door.take("more"), 0u);
  EXPECT_EQ(door.take_refusal().body, "no");
  EXPECT_EQ(budget->taken(), 0u);
}

TEST_F(http_gate, a_refusal_of_head_has_no_body) {
  http::gate door{limits, budget, 1, [](const http::request_head&) { return http::response{403, "", "no", {}}; }};
  door.take("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(door.take_refusal().body, "");
}

TEST_F(http_gate, owes_a_continue_only_before_the_body) {
  auto owes = [&](const std::string& text) {
    http::gate door{limits, budget, 1, {}};
    door.take(text);
    auto first = door.owes_continue();
    EXPECT_FALSE(door.owes_continue());
    return first;
  };
  EXPECT_TRUE(owes(with("Content-Length: 5\r\nExpect: 100-Continue")));
  EXPECT_TRUE(owes(with("Transfer-Encoding: chunked\r\nExpect: 100-continue")));
  EXPECT_FALSE(owes(with("Content-Length: 5\r\nExpect: 100-continue") + "a"));
  EXPECT_FALSE(owes(with("Transfer-Encoding: chunked\r\nExpect: 100-continue") + "5"));
  EXPECT_FALSE(owes(with("Content-Length: 0\r\nExpect: 100-continue")));
  EXPECT_FALSE(owes(with("Content-Length: 5")));
  EXPECT_EQ(status(with("Expect: tea")), 417);
}

} // namespace http_gate_test
