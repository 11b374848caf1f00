#include "http/server.hpp"

#include "answering.hpp"
#include "engine.hpp"
#include "farewell.hpp"
#include "listener.hpp"
#include "plain_wire.hpp"
#include "registry.hpp"
#include "tls_context.hpp"
#include "tls_wire.hpp"

#include <string>
#include <utility>

namespace http {

namespace {

/// Connections that are waited for until they have read their last answer: why they are refused, or that they are too
/// many. Each has a descriptor for farewell_max: this is what is left of a process's usual 1,024. The others are closed
/// at once, and may not read it.
constexpr size_t leaving_max = 64;

/// Connections hold it, and may outlive the server.
struct server_state {
  explicit server_state(server_options o)
    : options(std::move(o)),
      bodies(std::make_shared<body_budget>(options.bodies_bytes_max)) {}

  server_options options;
  std::shared_ptr<body_budget> bodies;
  std::shared_ptr<registry> connections = std::make_shared<registry>();
  std::shared_ptr<registry> leaving = std::make_shared<registry>();
  uint64_t last_id = 0;
  bool is_closed = false;
};
using shared_state = std::shared_ptr<server_state>;

response stopping() { return plain_answer(503, "the server is being stopped"); }

std::optional<response> admit(const server_state& state, const request_head& head) {
  if (state.is_closed)
    return stopping();
  // A copy: it may close the server, which forgets it.
  auto ask = state.options.admit;
  return ask ? ask(head) : std::nullopt;
}

/// Half of the places are for those who keep theirs between two requests.
bool is_crowded(const server_state& state) {
  auto most = state.options.connections_max;
  return state.connections->size() > most - most / 2;
}

void take(const server_state& state, const std::shared_ptr<guarded_connection>& connection,
          std::unique_ptr<outlet> out) {
  auto came = connection->take_request();
  came.form.stays_open = came.form.stays_open && !is_crowded(state);
  auto answer = std::make_shared<answering>(came.form, std::move(out), connection, connection->get_executor());
  connection->watch([weak = std::weak_ptr{answer}] {
    if (auto there = weak.lock())
      there->lose();
  });
  auto handle = state.options.handle; // likewise
  if (!handle)
    return answer->answer(stopping());
  handle(std::move(came.asked), make_exchange(answer));
}

/// Null: there are too many.
std::shared_ptr<void> place_to_leave(const server_state& state, uint64_t id) {
  return state.leaving->size() < leaving_max ? state.leaving->enter(id) : nullptr;
}

void turn_away(const server_state& state, plain_wire line) {
  auto answer = plain_answer(503, "there are too many connections");
  answer.fields.push_back({"Retry-After", "1"});
  auto text = last_answer_text(answer);
  if (auto place = place_to_leave(state, state.last_id))
    farewell::say(line, text, std::move(place));
  else
    line.write_now(text);
}

class guarded_server final : public server {
public:
  /// Without `tls` it speaks HTTP as it is.
  guarded_server(asio::io_context& io, server_options options, openssl_ptr<SSL_CTX> tls)
    : tls_(std::move(tls)),
      state_(std::make_shared<server_state>(std::move(options))),
      engine_(
        engine::make([state = state_](const std::shared_ptr<guarded_connection>& connection,
                                      std::unique_ptr<outlet> out) { take(*state, connection, std::move(out)); })),
      listener_(std::make_shared<listener>(io, [this](asio::ip::tcp::socket socket) { enter(std::move(socket)); })) {}
  ~guarded_server() override { guarded_server::close(); }

  asio::error_code open() { return listener_->open(state_->options.host, state_->options.port); }
  uint16_t port() const override { return listener_->port(); }
  size_t connections() const override { return state_->connections->size(); }
  bool is_connected(uint64_t connection) const override { return state_->connections->has(connection); }
  void close() override;

private:
  void enter(asio::ip::tcp::socket socket);
  std::shared_ptr<wire> wire_over(asio::ip::tcp::socket socket) const;
  bool has_room();

  openssl_ptr<SSL_CTX> tls_;
  shared_state state_;
  std::unique_ptr<engine> engine_;
  std::shared_ptr<listener> listener_;
};

/// Null: there is no memory.
std::shared_ptr<wire> guarded_server::wire_over(asio::ip::tcp::socket socket) const {
  if (!tls_)
    return std::make_shared<plain_wire>(std::move(socket));
  auto session = tls_session::make(*tls_);
  return session ? std::make_shared<tls_wire>(std::move(socket), std::move(session)) : nullptr;
}

/// Connections that ask for nothing keep nobody out who may ask: the slowest of them gives its place away.
bool guarded_server::has_room() {
  if (connections() < state_->options.connections_max)
    return true;
  if (auto slowest = state_->connections->slowest())
    slowest->abort();
  return connections() < state_->options.connections_max;
}

void guarded_server::enter(asio::ip::tcp::socket socket) {
  auto id = ++state_->last_id;
  auto& options = state_->options;
  if (!has_room())
    return tls_ ? void() : turn_away(*state_, plain_wire{std::move(socket)});
  asio::error_code ignored;
  // Pieces of a stream are for somebody who waits for them.
  socket.set_option(asio::ip::tcp::no_delay(true), ignored);
  auto line = wire_over(std::move(socket));
  if (!line)
    return;
  auto door = std::make_unique<gate>(gate_limits{options.header_bytes_max, options.body_bytes_max}, state_->bodies, id,
                                     [state = state_](const request_head& head) { return admit(*state, head); });
  auto connection = std::make_shared<guarded_connection>(
    std::move(line), std::move(door),
    connection_times{options.head_max, options.body_max, options.idle_max, options.stall_max},
    state_->connections->enter(id), [state = state_, id] { return place_to_leave(*state, id); });
  state_->connections->name(id, connection);
  engine_->adopt(std::move(connection));
}

void guarded_server::close() {
  if (std::exchange(state_->is_closed, true))
    return;
  listener_->close();
  for (auto& connection : state_->connections->all())
    connection->finish();
  // Last: what they hold may be the owner of this.
  auto admit = std::exchange(state_->options.admit, nullptr);
  auto handle = std::exchange(state_->options.handle, nullptr);
}

} // namespace

opened_server server::open(asio::io_context& io, server_options options) {
  auto where = options.host + ":" + std::to_string(options.port);
  auto tls = options.tls ? open_tls(*options.tls) : opened_tls{};
  if (!tls.problem.empty())
    return {nullptr, tls.problem, {}};
  auto opened = std::make_shared<guarded_server>(io, std::move(options), std::move(tls.value));
  if (auto failed = opened->open())
    return {nullptr, where + " can not be listened on: " + failed.message(), {}};
  return {std::move(opened), {}, tls.warning};
}

} // namespace http
