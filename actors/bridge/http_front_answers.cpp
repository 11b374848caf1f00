// Of http_front: what the sessions of clients say, into the responses.
#include "actors/bridge/http_front.hpp"

#include "mcp/parked_requests.hpp"
#include "messages/http_limits.hpp"
#include "process/offload.hpp"

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>

#include <algorithm>
#include <utility>

namespace bridge {

namespace limits = msg::limits;

namespace {

/// What a client can do without is not sent to one that has so much to read.
constexpr size_t unread_for_progress_max = 1u << 20;
/// Of the memory that this process may have: what all clients together may leave unread.
constexpr uint64_t unread_share = 4;

} // namespace

actors::client_wire http_front::wire(uint32_t connection) {
  auto weak = weak_from_this();
  actors::client_wire out;
  out.send = [weak, connection](mcp::outgoing message) {
    if (auto self = weak.lock())
      self->send(connection, std::move(message));
  };
  out.room = [weak, connection]() -> size_t {
    auto self = weak.lock();
    auto client = self ? self->clients_.numbered(connection) : nullptr;
    if (!client)
      return 0;
    auto unread = client->unread_bytes();
    auto of_all = self->settings_.process.memory_bytes / unread_share;
    bool is_full = unread > limits::http_unread_bytes_max || self->clients_.unread_bytes() > of_all;
    return is_full ? 0 : limits::http_unread_bytes_max - unread;
  };
  out.is_read = [weak, connection] {
    auto self = weak.lock();
    auto client = self ? self->clients_.numbered(connection) : nullptr;
    return client && client->unread_bytes() < unread_for_progress_max;
  };
  return out;
}

void http_front::send(uint32_t connection, mcp::outgoing message) {
  auto client = clients_.numbered(connection);
  if (!client)
    return;
  if (!message.parked.empty())
    wait_for(*client, std::move(message.parked));
  bool is_last = message.what == mcp::outgoing::kind::answer || message.what == mcp::outgoing::kind::none;
  if (is_last)
    client->said_headers.erase(message.stream);
  if (!client->written.contains(message.stream) && message.text.text_bytes() <= text_here_bytes_max)
    return client->streams->deliver(message.stream, message.what, message.text.text(), message.status);
  if (!is_last && client->written_bytes > limits::http_unread_bytes_max)
    return client->streams->leave_out(message.stream);
  client->written_bytes += message.text.held_bytes();
  ++client->written[message.stream];
  asio::co_spawn(w_.executor, write_large(std::move(client), std::move(message)), asio::detached);
}

/// Older calls than these have been answered, or their client never comes.
void http_front::wait_for(http_client& client, std::string state) {
  auto now = std::chrono::steady_clock::now();
  std::erase_if(client.parked, [now](auto& call) { return call.second <= now; });
  while (client.parked.size() >= mcp::parked_requests_max)
    client.parked.erase(std::min_element(client.parked.begin(), client.parked.end(),
                                         [](auto& a, auto& b) { return a.second < b.second; }));
  client.parked.emplace(std::move(state), now + mcp::parked_request_max);
  client.retire(); // what its server asks from now on is of that call, and nobody else's
}

/// One after the other: none of its stream overtakes another.
asio::awaitable<void> http_front::write_large(http_client_ptr client, mcp::outgoing message) {
  auto bytes = message.text.held_bytes();
  auto write = [text = std::move(message.text)] { return text.text(); };
  auto line = client->writing;
  auto written = co_await process::offload(line, std::move(write)); // which ends there
  client->written_bytes -= bytes;
  if (auto of = client->written.find(message.stream); --of->second == 0)
    client->written.erase(of);
  if (written.ok())
    client->streams->deliver(message.stream, message.what, std::move(written.value), message.status);
  else
    clients_.end(client->opening.connection);
}

} // namespace bridge
