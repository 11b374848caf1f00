// Servers that answer with more than a loop has time for.
#include "client_fixture.hpp"
#include "reading_turns.hpp"

#include <asio/post.hpp>

#include <algorithm>
#include <utility>

namespace http::testing {

namespace http_client_turns_test {

std::string in_chunks_of_one_byte(const std::string& body) {
  std::string out;
  for (char c : body)
    out.append("1\r\n").append(1, c).append("\r\n");
  return out;
}

/// `begin`, and then `more` until the client has enough.
awaitable<void> pour(peer& p, std::string begin, std::string more) {
  co_await p.say(begin);
  while (!p.is_gone)
    co_await p.say(more);
  p.close();
}

struct http_client_turns_test : client_fixture {
  /// Pieces of answers that were passed on, at most, before somebody else on the loop had a turn.
  size_t most = 0;
  size_t pieces = 0;
  bool is_done = false;
  std::function<void()> other = [this] {
    most = std::max(most, std::exchange(pieces, 0));
    if (!is_done)
      asio::post(io, other);
  };

  /// As often as the loop comes round.
  void begin_other() { asio::post(io, other); }
  void end_other() {
    is_done = true;
    run_for(5ms);
    most = std::max(most, pieces);
  }
  auto count() {
    return [this](outcome&) { ++pieces; };
  }
  void serve_without_end(const std::string& begin, const std::string& more) {
    serve = [begin, more](peer& p, asked) { return pour(p, begin, more); };
  }
  client_request get_small() {
    auto out = get();
    out.response_bytes_max = 100'000;
    out.total_timeout = 20s;
    return out;
  }
};

const std::string chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

TEST_F(http_client_turns_test, what_frames_a_body_is_bounded) {
  auto most_bytes = std::to_string(client_framing_factor_max * (100'000 + client_framing_bytes_max));
  for (auto& [begin, more] : {std::pair{chunked + "1;", std::string(60'000, 'e')},
                              {chunked, in_chunks_of_one_byte(std::string(10'000, 'x'))}}) {
    SCOPED_TRACE(more.substr(0, 20));
    serve_without_end(begin, more);
    auto result = ask(get_small());
    EXPECT_EQ(result.failure, client_failure::framing) << to_string(result.failure);
    EXPECT_EQ(result.status, 200);
    EXPECT_EQ(result.message,
              "127.0.0.1: the answer takes more than " + most_bytes
                + " bytes as it is sent, most of which only frame it (chunks of few bytes, or with long extensions)");
  }
}

TEST_F(http_client_turns_test, heads_behind_and_before_the_answer_are_bounded) {
  for (auto& [begin, more] : {std::pair{""s, "HTTP/1.1 103 Early Hints\r\n\r\n"s},
                              {"HTTP/1.1 200 OK\r\n"s, "X-A: " + std::string(60'000, 'a') + "\r\n"}}) {
    serve_without_end(begin, more);
    EXPECT_EQ(ask(get_small()).failure, client_failure::too_large) << more.substr(0, 80);
  }
  serve_without_end(chunked + "1\r\n{\r\n0\r\n", "X: y\r\n");
  EXPECT_EQ(ask(get_small()).failure, client_failure::framing) << "the answer itself is not too large";
}

TEST_F(http_client_turns_test, a_body_in_tiny_chunks_is_whole_and_comes_in_few_pieces) {
  std::string body(200'000, 'a');
  for (size_t i = 0; i < body.size(); i += 977)
    body[i] = static_cast<char>('b' + i % 25);
  serve = [&](peer& p, asked) -> awaitable<void> {
    co_await p.say(chunked + in_chunks_of_one_byte(body) + "0\r\n\r\n");
  };
  begin_other();
  auto got = start(get(), count());
  EXPECT_TRUE(finish(got).ok());
  end_other();
  EXPECT_TRUE(got->data == body);
  EXPECT_LT(got->chunks, body.size() / 20);
  EXPECT_LE(most, 2 * pieces_of_turn_max);
  EXPECT_TRUE(ask(get()).body == body) << "collected";
}

TEST_F(http_client_turns_test, many_large_bodies_leave_the_loop_to_others_after_few_pieces) {
  const std::string large(1'000'000, 'x');
  serve = [&](peer& p, asked) -> awaitable<void> { co_await p.answer(large); };
  begin_other();
  std::vector<std::shared_ptr<outcome>> all;
  for (int i = 0; i < 40; ++i)
    all.push_back(start(get(), count()));
  for (auto& one : all)
    EXPECT_EQ(finish(one).failure, client_failure::none);
  end_other();
  for (auto& one : all)
    EXPECT_EQ(one->data.size(), large.size());
  // Two each: of 16 KiB, and what libcurl had read before.
  EXPECT_LE(most, 3 * transfers_of_turn_max);
}

TEST_F(http_client_turns_test, a_paused_request_has_no_turn_and_others_have_theirs) {
  serve = [](peer& p, asked) -> awaitable<void> { co_await p.answer(std::string(1'000'000, 'x')); };
  std::vector<std::shared_ptr<outcome>> paused;
  for (size_t i = 0; i < 2 * transfers_of_turn_max; ++i)
    paused.push_back(start(get(), [](outcome& o) { o.handle.pause(); }));
  run_until([&] { return std::all_of(paused.begin(), paused.end(), [](auto& one) { return one->chunks == 1; }); });
  EXPECT_TRUE(ask(get()).ok());
  for (auto& one : paused) {
    EXPECT_EQ(one->chunks, 1u);
    one->handle.cancel();
    EXPECT_EQ(finish(one).failure, client_failure::cancelled);
  }
}

TEST_F(http_client_turns_test, who_waits_for_a_turn_may_end) {
  serve = [](peer& p, asked) -> awaitable<void> { co_await p.answer(std::string(1'000'000, 'x')); };
  std::vector<std::shared_ptr<outcome>> all;
  for (int i = 0; i < 30; ++i)
    all.push_back(start(get(), [](outcome&) {}));
  run_until([&] { return all.back()->chunks > 2; });
  for (size_t i = 0; i < all.size(); i += 2)
    all[i]->handle.cancel();
  for (size_t i = 0; i < all.size(); ++i)
    if (auto failure = finish(all[i]).failure; failure != client_failure::none) {
      EXPECT_EQ(failure, i % 2 == 0 ? client_failure::cancelled : client_failure::none);
    }
  auto last = start(get(), [](outcome&) {});
  run_until([&] { return last->chunks > 0; });
  http = nullptr;
  EXPECT_TRUE(last->result);
}

} // namespace http_client_turns_test

} // namespace http::testing
