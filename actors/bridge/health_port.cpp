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

namespace bridge {

namespace json = boost::json;
namespace limits = msg::limits;

namespace {

constexpr auto json_type = "application/json";
constexpr auto metrics_type = "text/plain; version=0.0.4; charset=utf-8";
constexpr uint16_t unavailable = 503;
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
                                     std::function<void(http::response)> answer) {
  auto now = co_await ask<msg::health_report>(std::move(port), std::move(health), limits::health_answer_max + slack,
                                              msg::status_atom::value);
  answer(now.ok() ? answer_for(path, now.value) : status(false, "", "the server does not answer"));
}

} // namespace

std::shared_ptr<http::server> open_health_port(asio::io_context& io, dependencies& w,
                                               const config::health_settings& settings, msg::health_actor health) {
  if (settings.port == 0)
    return nullptr;
  http::server_options options;
  options.host = settings.host == "localhost" ? "127.0.0.1" : settings.host;
  options.port = settings.port;
  options.connections_max = limits::health_connections_max;
  options.header_bytes_max = limits::health_header_bytes_max;
  options.request_max = limits::health_request_max;
  options.answer_max = limits::health_answer_max + 2 * slack;
  options.handle = [&w, health = std::move(health)](const http::request& request,
                                                    std::function<void(http::response)> answer) {
    if (request.path == "/live")
      return answer(status(true, "alive", ""));
    if (request.path != "/health" && request.path != "/ready" && request.path != "/metrics")
      return answer({404, "text/plain; charset=utf-8", "there are /health, /ready, /live and /metrics\n"});
    asio::co_spawn(w.executor, ask_and_answer(w.port, health, request.path, std::move(answer)), asio::detached);
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
