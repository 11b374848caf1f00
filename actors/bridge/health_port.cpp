#include "actors/bridge/health_port.hpp"

#include "actors/bridge/ask.hpp"
#include "messages/limits.hpp"
#include "proxy/surface/health.hpp"
#include "text/json_text.hpp"

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <boost/json/value.hpp>
#include <caf/all.hpp>
#include <spdlog/spdlog.h>

#include <optional>
#include <string>
#include <utility>

namespace bridge {

namespace json = boost::json;
namespace limits = msg::limits;

namespace {

constexpr auto json_type = "application/json";
constexpr auto metrics_type = "text/plain; version=0.0.4; charset=utf-8";
constexpr uint16_t unavailable = 503;
/// Of a request that has none to begin with.
constexpr size_t body_bytes_max = 1'024;
/// For the answer to be put together and sent, after the actors have answered.
constexpr std::chrono::milliseconds slack{1'000};

http::response status(bool good, std::string_view when_good, std::string_view otherwise) {
  json::object doc{{"status", good ? when_good : otherwise}};
  return {good ? uint16_t{200} : unavailable, json_type, text::to_text(json::value(std::move(doc))) + "\n"};
}

http::response answer_for(const std::string& path, const msg::health_report& now) {
  if (path == "/health")
    return {surface::is_healthy(now) ? uint16_t{200} : unavailable, json_type,
            text::to_text(json::value(surface::health_doc(now))) + "\n"};
  if (path == "/ready")
    return status(surface::is_ready(now), "ready", "not ready");
  return {200, metrics_type, surface::metrics_text(now)};
}

asio::awaitable<void> ask_and_answer(caf::strong_actor_ptr port, msg::health_actor health, std::string path,
                                     std::shared_ptr<http::exchange> to) {
  auto now = co_await ask<msg::health_report>(std::move(port), std::move(health), limits::health_answer_max + slack,
                                              msg::status_atom::value);
  to->answer(now.ok() ? answer_for(path, now.value) : status(false, "", "the server does not answer"));
}

http::response refusal(uint16_t code, std::string sentence) {
  return {code, "text/plain; charset=utf-8", std::move(sentence) + "\n"};
}

std::optional<http::response> admit(const http::request_head& head, const std::string& host) {
  // A client of HTTP/1.0 may send none; a browser always sends it.
  auto name = http::find_header(head.fields, "host");
  if (!name.empty() && !http::is_own_host(name, host))
    return refusal(403, "this server is not reached by that name");
  if (head.method == "GET" || head.method == "HEAD")
    return std::nullopt;
  auto answer = refusal(405, "only GET and HEAD are served here");
  answer.fields.push_back({"Allow", "GET, HEAD"});
  return answer;
}

http::server_options options_of(const config::health_settings& settings) {
  http::server_options out;
  out.host = settings.host == "localhost" ? "127.0.0.1" : settings.host;
  out.port = settings.port;
  out.connections_max = limits::health_connections_max;
  out.header_bytes_max = limits::health_header_bytes_max;
  out.body_bytes_max = body_bytes_max;
  out.bodies_bytes_max = body_bytes_max * limits::health_connections_max;
  out.head_max = out.body_max = out.idle_max = out.stall_max = limits::health_request_max;
  out.admit = [host = out.host](const http::request_head& head) { return admit(head, host); };
  return out;
}

} // namespace

std::shared_ptr<http::server> open_health_port(asio::io_context& io, dependencies& w,
                                               const config::health_settings& settings, msg::health_actor health) {
  if (settings.port == 0)
    return nullptr;
  auto options = options_of(settings);
  options.handle = [&w, health = std::move(health)](const http::request& request, std::shared_ptr<http::exchange> to) {
    auto& path = request.head.path;
    if (path == "/live")
      return to->answer(status(true, "alive", ""));
    if (path != "/health" && path != "/ready" && path != "/metrics")
      return to->answer(refusal(404, "there are /health, /ready, /live and /metrics"));
    asio::co_spawn(w.executor, ask_and_answer(w.port, health, path, std::move(to)), asio::detached);
  };
  auto opened = http::server::open(io, std::move(options));
  if (!opened.ok()) {
    spdlog::warn("there is no health port: {}", opened.problem);
    return nullptr;
  }
  spdlog::info("health port: http://{}:{}", settings.host, opened.value->port());
  return opened.value;
}

} // namespace bridge
