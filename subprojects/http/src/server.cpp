#include "http/server.hpp"

#include <restinio/http_server.hpp>
#include <restinio/ip_blocker.hpp>
#include <restinio/null_logger.hpp>

#include <exception>
#include <string_view>
#include <variant>

namespace http {

namespace {

/// Of a request that has none to begin with.
constexpr uint64_t body_bytes_max = 1'024;
constexpr size_t fields_max = 100;

/// Counts the connections and turns away what is too much. RESTinio's own limiter is part of the server, and
/// connections that outlive it use it after its end.
class doorkeeper {
public:
  explicit doorkeeper(size_t connections_max) : connections_max_(connections_max) {}

  restinio::ip_blocker::inspection_result_t inspect(const restinio::ip_blocker::incoming_info_t&) noexcept {
    return open_ < connections_max_ ? restinio::ip_blocker::allow() : restinio::ip_blocker::deny();
  }
  void state_changed(const restinio::connection_state::notice_t& notice) noexcept {
    std::visit(counter{open_}, notice.cause());
  }

private:
  struct counter {
    size_t& open;
    void operator()(const restinio::connection_state::accepted_t&) const { ++open; }
    void operator()(const restinio::connection_state::closed_t&) const { --open; }
    void operator()(const restinio::connection_state::upgraded_to_websocket_t&) const {}
  };

  size_t connections_max_;
  size_t open_ = 0;
};

struct traits : restinio::single_thread_traits_t<restinio::asio_timer_manager_t, restinio::null_logger_t> {
  using ip_blocker_t = doorkeeper;
  using connection_state_listener_t = doorkeeper;
};
using engine = restinio::http_server_t<traits>;

/// Connections hold it, and may outlive the server.
struct shared_state {
  server_options options;
  uint16_t port = 0;
};

response text(uint16_t status, std::string body) {
  return {status, "text/plain; charset=utf-8", std::move(body) + "\n"};
}

const char* reason_of(uint16_t status) {
  switch (status) {
    case 200: return "OK";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 503: return "Service Unavailable";
    default: return "";
  }
}

bool is_head(const restinio::request_handle_t& request) {
  return request->header().method() == restinio::http_method_head();
}

void send(const restinio::request_handle_t& to, const response& answer) {
  auto out = to->create_response(
    restinio::http_status_line_t{restinio::http_status_code_t{answer.status}, reason_of(answer.status)});
  out.append_header(restinio::http_field::content_type, answer.type);
  out.append_header(restinio::http_field::cache_control, "no-store");
  out.append_header("X-Content-Type-Options", "nosniff");
  out.append_header_date_field();
  if (!is_head(to))
    out.set_body(answer.body);
  out.done();
}

restinio::request_handling_status_t take(const shared_state& state, const restinio::request_handle_t& request) {
  auto& head = request->header();
  auto host = head.get_field_or(restinio::http_field::host, "");
  if (!state.options.handle) {
    send(request, text(503, "the server is being stopped"));
  } else if (!host.empty() && !is_own_host({host.data(), host.size()}, state.options.host)) {
    send(request, text(403, "this server is not reached by that name"));
  } else if (head.method() != restinio::http_method_get() && !is_head(request)) {
    send(request, text(405, "only GET and HEAD are served here"));
  } else {
    auto path = head.path();
    http::request asked{is_head(request) ? "HEAD" : "GET", std::string{path.data(), path.size()}};
    state.options.handle(std::move(asked), [request](const response& answer) { send(request, answer); });
  }
  return restinio::request_accepted();
}

template <class Settings>
void configure(Settings& settings, const std::shared_ptr<shared_state>& state) {
  auto& options = state->options;
  auto limits = restinio::incoming_http_msg_limits_t{}
                  .max_url_size(options.header_bytes_max)
                  .max_field_name_size(options.header_bytes_max)
                  .max_field_value_size(options.header_bytes_max)
                  .max_field_count(fields_max)
                  .max_body_size(body_bytes_max);
  auto door = std::make_shared<doorkeeper>(options.connections_max);
  settings.address(options.host)
    .port(options.port)
    .ip_blocker(door)
    .connection_state_listener(door)
    .max_pipelined_requests(1)
    .read_next_http_message_timelimit(options.request_max)
    .handle_request_timeout(options.answer_max)
    .write_http_response_timelimit(options.request_max)
    .incoming_http_msg_limits(limits)
    .acceptor_post_bind_hook(
      [state](asio::ip::tcp::acceptor& acceptor) { state->port = acceptor.local_endpoint().port(); })
    .request_handler([state](const restinio::request_handle_t& request) { return take(*state, request); });
}

class restinio_server final : public server {
public:
  restinio_server(asio::io_context& io, server_options options)
    : state_(std::make_shared<shared_state>(shared_state{std::move(options)})),
      engine_(restinio::external_io_context(io), [this](auto& settings) { configure(settings, state_); }) {
    engine_.open_sync();
  }
  ~restinio_server() override { state_->options.handle = nullptr; }
  uint16_t port() const override { return state_->port; }
  void close() override {
    engine_.close_sync();
    state_->options.handle = nullptr;
  }

private:
  std::shared_ptr<shared_state> state_;
  engine engine_;
};

} // namespace

opened_server server::open(asio::io_context& io, server_options options) {
  auto where = options.host + ":" + std::to_string(options.port);
  try {
    return {std::make_shared<restinio_server>(io, std::move(options)), {}};
  } catch (const std::exception& e) {
    return {nullptr, where + " can not be listened on: " + e.what()};
  }
}

} // namespace http
