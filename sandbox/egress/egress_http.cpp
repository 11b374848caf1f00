// The part of a connection that forwards one http request and its response.
#include "sandbox/egress/egress_connection.hpp"

#include "process/no_throw.hpp"

#include <asio/write.hpp>

#include <utility>

namespace egress {

namespace {

using asio::awaitable;
namespace limits = msg::limits;
using process::no_throw;

} // namespace

awaitable<void> egress_connection::forward_request() {
  enter(phase::open, guest_->settings.bounds.idle);
  auto head = origin_head(request_);
  auto [ec, n] = co_await asio::async_write(server_, asio::buffer(head), no_throw);
  record_.bytes_out += n;
  spawn(send_body(shared_from_this()));
  auto refused = co_await relay_response();
  if (finished_)
    co_return;
  if (refused.status != 0) {
    co_await answer(refused);
  } else {
    report({});
    co_await linger();
  }
}

/// Nothing of the client passes after the body of its one request.
awaitable<void> egress_connection::send_body([[maybe_unused]] self_pointer self) {
  body_scanner body{request_.body, request_.body_bytes};
  auto piece = std::exchange(unread_, {});
  buffer chunk;
  for (;;) {
    auto taken = body.take(piece);
    auto [ec, n] = co_await asio::async_write(server_, asio::buffer(piece.data(), taken), no_throw);
    record_.bytes_out += n;
    if (ec || body.ended() || finished_ || phase_ != phase::open)
      co_return; // a server that does not want it all may still answer
    if (body.broken()) {
      finish("the chunks of the request are malformed");
      co_return;
    }
    touch();
    auto [read_failed, got] = co_await client_.async_read_some(asio::buffer(chunk), no_throw);
    if (finished_ || phase_ != phase::open)
      co_return;
    if (read_failed) {
      finish("the guest ended its request in the middle");
      co_return;
    }
    piece.assign(chunk.data(), got);
  }
}

/// Interim responses (100, 103) and the head of the final one. `rest`: what was read after it.
awaitable<egress_connection::refusal> egress_connection::relay_heads(std::string& rest, body_scanner& body) {
  constexpr int heads_max = 10;
  refusal refused{502, with_port(request_.to, request_.port) + " sent no valid HTTP response"};
  buffer chunk;
  for (int heads = 0; heads < heads_max && !finished_;) {
    auto end = find_head_end(rest);
    if (end.broken || (!end.bytes && rest.size() >= limits::egress_head_bytes_max))
      co_return refused;
    if (!end.bytes) {
      auto [ec, n] = co_await server_.async_read_some(asio::buffer(chunk), no_throw);
      if (ec)
        co_return refused;
      touch();
      rest.append(chunk.data(), n);
      continue;
    }
    auto response = parse_response(std::string_view{rest}.substr(0, *end.bytes), request_.method);
    if (!response.ok() || response.value.status == 101) // nothing was to be switched to
      co_return refused;
    rest.erase(0, *end.bytes);
    ++heads;
    auto [ec, n] = co_await asio::async_write(client_, asio::buffer(response.value.head), no_throw);
    record_.bytes_in += n;
    if (ec) {
      finish("the guest went away");
      co_return refused;
    }
    if (response.value.status >= 200) {
      body = body_scanner{response.value.body, response.value.body_bytes};
      refused.status = 0;
      co_return refused;
    }
  }
  co_return refused;
}

awaitable<egress_connection::refusal> egress_connection::relay_response() {
  std::string piece;
  body_scanner body{body_kind::none, 0};
  auto refused = co_await relay_heads(piece, body);
  if (refused.status != 0 || finished_)
    co_return refused;
  buffer chunk;
  for (;;) {
    body.take(piece); // broken chunks are left to the client: then the body ends with the connection
    auto [ec, n] = co_await asio::async_write(client_, asio::buffer(piece), no_throw);
    record_.bytes_in += n;
    if (ec)
      finish("the guest went away");
    if (finished_ || body.ended())
      co_return refused;
    touch();
    auto [read_failed, got] = co_await server_.async_read_some(asio::buffer(chunk), no_throw);
    touch();
    piece.assign(chunk.data(), got);
    if (read_failed == asio::error::eof)
      co_return refused;
    if (read_failed)
      finish(read_failed.message());
    if (finished_)
      co_return refused;
  }
}

} // namespace egress
