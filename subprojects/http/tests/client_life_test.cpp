// Ends of requests and of the client at every moment, from outside and from inside of its handlers.
#include "client_fixture.hpp"

#include "testing/coroutines.hpp"

#include <asio/experimental/awaitable_operators.hpp>

namespace http::testing {

namespace http_client_life_test {

struct http_client_life_test : client_fixture {
  http_client_life_test() {
    serve = [](peer& p, asked request) -> awaitable<void> {
      if (request.path() == "/slow")
        co_await p.wait_for_end();
      else
        co_await p.answer(std::string(200'000, 'x'));
      if (p.is_gone)
        p.close();
    };
  }
};

TEST_F(http_client_life_test, cancelled_before_it_began) {
  auto got = start(get());
  got->handle.cancel();
  EXPECT_FALSE(got->result) << "not from inside cancel";
  EXPECT_EQ(finish(got).failure, client_failure::cancelled);
  EXPECT_FALSE(got->status);
  EXPECT_EQ(connections, 0);
}

TEST_F(http_client_life_test, cancelled_while_it_waits) {
  auto got = start(get("/slow"));
  run_until([&] { return heard.size() == 1; });
  got->handle.cancel();
  got->handle.cancel();
  auto result = finish(got);
  EXPECT_EQ(result.failure, client_failure::cancelled);
  EXPECT_EQ(result.message, "127.0.0.1: the request was cancelled");
  EXPECT_EQ(ask(get()).status, 200) << "others go on";
}

TEST_F(http_client_life_test, cancelled_in_on_head) {
  auto got = std::make_shared<outcome>();
  client_handlers handlers;
  handlers.on_head = [got](uint16_t, const headers&) { got->handle.cancel(); };
  handlers.on_data = [](std::string_view) { ADD_FAILURE() << "it was cancelled"; };
  handlers.on_end = [got](client_result result) { got->result = std::move(result); };
  got->handle = http->start(get(), std::move(handlers));
  EXPECT_EQ(finish(got).failure, client_failure::cancelled);
}

TEST_F(http_client_life_test, cancelled_in_on_data) {
  auto got = start(get(), [](outcome& o) { o.handle.cancel(); });
  EXPECT_EQ(finish(got).failure, client_failure::cancelled);
  EXPECT_EQ(got->chunks, 1u);
}

TEST_F(http_client_life_test, one_that_has_ended_is_left_alone) {
  auto got = start(get());
  finish(got);
  got->handle.cancel();
  got->handle.pause();
  got->handle.resume();
  run_for(10ms);
  client_handle none;
  none.cancel();
  none.resume();
}

TEST_F(http_client_life_test, cancelling_another_one_in_on_data) {
  auto slow = start(get("/slow"));
  auto got = start(get(), [&](outcome&) { slow->handle.cancel(); });
  EXPECT_TRUE(finish(got).ok());
  EXPECT_EQ(finish(slow).failure, client_failure::cancelled);
}

TEST_F(http_client_life_test, knows_whether_the_other_side_may_have_read_the_request) {
  serve = [](peer& p, asked request) -> awaitable<void> {
    if (request.path() == "/late")
      co_await p.wait(1s);
    p.close();
  };
  auto post = [this](const std::string& path, std::string body) {
    auto request = get(path);
    request.method = "POST";
    request.body = std::move(body);
    request.total_timeout = 500ms;
    return finish(start(request));
  };
  for (size_t bytes : {0u, 10u, 1u << 20}) {
    auto cut = post("/", std::string(bytes, 'x'));
    EXPECT_EQ(cut.failure, client_failure::cut) << cut.message;
    EXPECT_TRUE(cut.was_sent) << bytes;
  }
  auto late = post("/late", "hello");
  EXPECT_EQ(late.failure, client_failure::timeout);
  EXPECT_TRUE(late.was_sent);
  acceptor.cancel(); // what connects now is accepted by the kernel, and read by nobody
  auto stuck = post("/", std::string(16u << 20, 'x'));
  EXPECT_EQ(stuck.failure, client_failure::timeout) << stuck.message;
  EXPECT_FALSE(stuck.was_sent);
  auto refused = get();
  acceptor.close();
  EXPECT_FALSE(ask(refused).was_sent);
}

/// A kept connection that breaks is replaced by libcurl, and then it is the new one that fails.
TEST_F(http_client_life_test, what_was_sent_stays_so_when_no_other_connection_can_be_had) {
  serve = [this](peer& p, asked request) -> awaitable<void> {
    if (request.path() == "/first") {
      co_await p.answer("kept");
    } else {
      acceptor.close();
      p.close();
    }
  };
  auto post = [this](const std::string& path) {
    auto request = get(path);
    request.method = "POST";
    request.body = "hello";
    return finish(start(request));
  };
  EXPECT_TRUE(post("/first").ok());
  auto broken = post("/second");
  EXPECT_FALSE(broken.ok());
  EXPECT_EQ(heard.size(), 2u);
  EXPECT_TRUE(broken.was_sent) << broken.message;
}

TEST_F(http_client_life_test, handlers_start_requests) {
  std::shared_ptr<outcome> second, third;
  auto first = start(get(), [&](outcome&) {
    if (!second)
      second = start(get(), [](outcome&) {});
  });
  finish(first);
  ASSERT_TRUE(second);
  client_handlers handlers;
  handlers.on_end = [&](client_result) { third = start(get()); };
  http->start(get(), std::move(handlers));
  run_until([&] { return third && third->result; });
  EXPECT_TRUE(finish(second).ok());
  EXPECT_TRUE(finish(third).ok());
}

TEST_F(http_client_life_test, a_chain_of_requests_does_not_nest) {
  int left = 5'000;
  client_request request;
  request.url = "no url";
  std::function<void(client_result)> again = [&](const client_result&) {
    client_handlers handlers;
    handlers.on_end = again;
    if (--left > 0)
      http->start(request, std::move(handlers));
  };
  again({});
  run_until([&] { return left == 0; });
}

// ---- the client's end --------------------------------------------------------------------------

/// An exception that left a callback would go through libcurl, which takes no request afterwards.
TEST_F(http_client_life_test, a_handler_that_throws_ends_its_request_and_no_other) {
  serve = [](peer& p, asked request) -> awaitable<void> {
    if (request.path() == "/slow")
      co_await p.wait(100ms);
    co_await p.answer(std::string(100'000, 'x'));
  };
  auto other = start(get("/slow"));
  auto ended_by = [this](auto put_into) {
    client_handlers handlers;
    auto end = std::make_shared<std::optional<client_result>>();
    put_into(handlers);
    handlers.on_end = [end](client_result result) { *end = std::move(result); };
    http->start(get(), std::move(handlers));
    run_until([&] { return end->has_value(); });
    return end->value_or(client_result{});
  };
  auto no_memory = [](auto&&...) { throw std::bad_alloc{}; };
  auto mistake = [](auto&&...) { throw std::runtime_error{"a mistake"}; };
  for (int i = 0; i < 3; ++i) {
    auto in_head = ended_by([&](client_handlers& h) { h.on_head = no_memory; });
    EXPECT_EQ(in_head.failure, client_failure::no_memory);
    EXPECT_FALSE(in_head.message.empty());
    EXPECT_EQ(ended_by([&](client_handlers& h) { h.on_data = no_memory; }).failure, client_failure::no_memory);
    EXPECT_EQ(ended_by([&](client_handlers& h) { h.on_data = mistake; }).failure, client_failure::other);
    EXPECT_TRUE(ask(get()).ok());
  }
  EXPECT_TRUE(finish(other).ok());
}

TEST_F(http_client_life_test, others_end_after_an_end_that_throws) {
  serve = [](peer& p, asked) -> awaitable<void> { co_await p.answer("x"); };
  client_handlers handlers;
  bool has_ended = false;
  handlers.on_end = [&](const client_result&) {
    has_ended = true;
    throw std::bad_alloc{};
  };
  auto thrower = http->start(get(), handlers);
  auto other = start(get());
  thrower.cancel();
  other->handle.cancel();
  EXPECT_EQ(finish(other).failure, client_failure::cancelled);
  EXPECT_TRUE(has_ended);
  EXPECT_TRUE(ask(get()).ok());
}

TEST_F(http_client_life_test, its_end_ends_all_from_inside) {
  std::vector<std::shared_ptr<outcome>> all;
  for (int i = 0; i < 10; ++i)
    all.push_back(start(get("/slow")));
  run_until([&] { return heard.size() == 10; });
  all.push_back(start(get()));
  http = nullptr;
  for (auto& got : all) {
    ASSERT_TRUE(got->result);
    EXPECT_EQ(got->result->failure, client_failure::cancelled);
    got->handle.cancel();
  }
  run_for(20ms);
}

TEST_F(http_client_life_test, its_end_inside_of_on_data) {
  auto slow = start(get("/slow"));
  auto paused = start(get(), [](outcome& o) { o.handle.pause(); });
  run_until([&] { return paused->chunks == 1; });
  auto got = start(get(), [&](outcome&) { http = nullptr; });
  run_until([&] { return !http; });
  for (auto& each : {slow, paused, got}) {
    ASSERT_TRUE(each->result);
    EXPECT_EQ(each->result->failure, client_failure::cancelled);
  }
  run_for(20ms);
  EXPECT_EQ(got->chunks, 1u);
}

TEST_F(http_client_life_test, its_end_inside_of_a_resumed_on_data) {
  auto got = start(get(), [&](outcome& o) {
    if (o.chunks == 1)
      o.handle.pause();
    else
      http = nullptr;
  });
  run_until([&] { return got->chunks == 1; });
  run_for(20ms);
  got->handle.resume();
  run_until([&] { return !http; });
  ASSERT_TRUE(got->result);
  EXPECT_EQ(got->result->failure, client_failure::cancelled);
}

TEST_F(http_client_life_test, its_end_inside_of_on_head_and_on_end) {
  for (bool in_head : {true, false}) {
    http = std::make_unique<client>(io);
    auto slow = start(get("/slow"));
    bool ended = false;
    client_handlers handlers;
    handlers.on_head = [&, in_head](uint16_t, const headers&) {
      if (in_head)
        http = nullptr;
    };
    handlers.on_end = [&](client_result) {
      ended = true;
      http = nullptr;
    };
    http->start(get(), std::move(handlers));
    run_until([&] { return !http && ended; });
    ASSERT_TRUE(slow->result);
    run_for(10ms);
  }
}

TEST_F(http_client_life_test, what_is_started_at_its_end_is_cancelled_later) {
  std::shared_ptr<outcome> late;
  client_handlers handlers;
  auto* raw = http.get();
  client_handlers second;
  second.on_end = [&](client_result result) {
    late = std::make_shared<outcome>();
    late->result = std::move(result);
  };
  handlers.on_end = [&](client_result) { raw->start(get(), std::move(second)); };
  http->start(get("/slow"), std::move(handlers));
  run_until([&] { return heard.size() == 1; });
  http = nullptr;
  EXPECT_FALSE(late);
  run_until([&] { return late != nullptr; });
  EXPECT_EQ(late->result->failure, client_failure::cancelled);
}

TEST_F(http_client_life_test, its_end_with_a_name_that_is_being_looked_up) {
  auto request = get();
  request.url = "http://nobody.invalid/";
  auto got = start(request);
  io.run_one_for(10ms);
  io.poll();
  auto began = std::chrono::steady_clock::now();
  http = nullptr;
  EXPECT_LT(std::chrono::steady_clock::now() - began, 1s);
  EXPECT_TRUE(got->result);
}

TEST_F(http_client_life_test, the_loop_may_end_first_with_what_is_posted) {
  for (int i = 0; i < 3; ++i) {
    auto own = std::make_unique<asio::io_context>();
    auto client = std::make_unique<http::client>(*own);
    int ended = 0;
    client_handlers handlers;
    handlers.on_end = [&](client_result) { ++ended; };
    client->start(get(), std::move(handlers));
    if (i == 1)
      own->poll();
    client = nullptr;
    EXPECT_EQ(ended, 1);
  }
}

/// Everything at once, in an order that a seed chooses.
TEST_F(http_client_life_test, storm) {
  serve = [](peer& p, asked request) -> awaitable<void> {
    auto kind = request.path().back() % 5;
    if (kind == 0)
      co_await p.answer("x");
    else if (kind == 1)
      co_await p.say("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc");
    else if (kind == 2)
      co_await p.answer(std::string(300'000, 'y'));
    else if (kind == 3)
      co_await p.wait(3ms);
    if (kind == 1 || kind == 3)
      p.close();
    else if (kind == 4)
      co_await p.wait_for_end();
    if (p.is_gone)
      p.close();
  };
  for (unsigned seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    unsigned state = seed;
    auto next = [&](unsigned below) { return (state = state * 1'103'515'245u + 12'345u) / 65'536u % below; };
    http = std::make_unique<client>(io);
    std::vector<std::shared_ptr<outcome>> all;
    for (int i = 0; i < 60; ++i) {
      auto request = get("/" + std::to_string(next(10)));
      request.total_timeout = std::chrono::milliseconds{1 + next(60)};
      request.response_bytes_max = next(4) == 0 ? 100'000 : 1'000'000;
      auto whim = next(5);
      all.push_back(start(request, [whim](outcome& o) {
        if (whim == 0)
          o.handle.pause();
        else if (whim == 1)
          o.handle.cancel();
      }));
      auto& any = all[next(static_cast<unsigned>(all.size()))];
      if (auto what = next(6); what == 0)
        any->handle.cancel();
      else if (what == 1)
        any->handle.resume();
      else if (what == 2)
        any->handle.pause();
      if (next(3) == 0)
        io.run_one_for(1ms);
    }
    if (seed % 2 == 0)
      for (auto& each : all)
        finish(each);
    http = nullptr;
    for (auto& each : all)
      EXPECT_TRUE(each->result);
  }
}

// ---- coroutines --------------------------------------------------------------------------------

TEST_F(http_client_life_test, a_coroutine_waits_for_the_answer) {
  auto result = test::run(io, http->fetch(get()));
  EXPECT_TRUE(result.ok());
  EXPECT_EQ(result.body.size(), 200'000u);
}

awaitable<client_result> first_of(client& http, client_request request, std::chrono::milliseconds time) {
  using namespace asio::experimental::awaitable_operators;
  asio::steady_timer timer{co_await asio::this_coro::executor, time};
  auto either = co_await (http.fetch(std::move(request)) || timer.async_wait(asio::use_awaitable));
  if (either.index() == 0)
    co_return std::get<0>(std::move(either));
  client_result late;
  late.failure = client_failure::timeout;
  co_return late;
}

TEST_F(http_client_life_test, a_coroutine_that_is_cancelled_cancels_its_request) {
  bool is_gone = false;
  serve = [&](peer& p, asked) -> awaitable<void> {
    co_await p.wait_for_end();
    is_gone = true;
    p.close();
  };
  EXPECT_EQ(test::run(io, first_of(*http, get("/slow"), 50ms)).failure, client_failure::timeout);
  run_until([&] { return is_gone; });
}

TEST_F(http_client_life_test, a_coroutine_outlives_the_client) {
  std::optional<client_result> result;
  asio::co_spawn(io, http->fetch(get("/slow")), [&](std::exception_ptr, client_result r) { result = std::move(r); });
  run_until([&] { return heard.size() == 1; });
  http = nullptr;
  EXPECT_FALSE(result) << "not from inside the destructor";
  run_until([&] { return result.has_value(); });
  EXPECT_EQ(result->failure, client_failure::cancelled);
}

} // namespace http_client_life_test

} // namespace http::testing
