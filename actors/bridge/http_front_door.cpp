// Of http_front: where it listens, and who is let in.
#include "actors/bridge/http_front.hpp"

#include "messages/http_limits.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace bridge {

namespace limits = msg::limits;

namespace {

/// Before the subject of a token of the issuer: no name of a token of ours has a blank.
constexpr std::string_view bearer_prefix = "subject ";

} // namespace

msg::fault http_front::open(asio::io_context& io, const http_address& where) {
  auto& s = settings_.http;
  if (!s.issuer.empty()) {
    if (auto problem = json_web_token::problem_of_library(); !problem.empty())
      return {msg::errc::invalid_argument, "tokens of the issuer " + s.issuer + " can not be verified: " + problem};
    issuer_ = std::make_shared<issuer_keys>(w_.executor, w_.web.client, json_web_token::rules{s.issuer, s.audience});
    issuer_->refresh();
  }
  bool is_reached_by_others = !is_on_this_machine(where);
  if (is_reached_by_others && !tokens_.are_wanted() && !issuer_)
    return {msg::errc::invalid_argument,
            where.host
              + " can be reached by others: without a token only 127.0.0.1, ::1 and localhost may be listened "
                "on; `code-executor token new NAME` makes a token, which every client has to send then"};
  door_.emplace(door_rules(where, !is_reached_by_others));
  host_ = where.host;
  http::server_options options;
  options.host = where.host;
  options.port = where.port;
  if (!s.certificate_file.empty())
    options.tls = http::tls_files{s.certificate_file, s.key_file};
  options.connections_max = s.connections_max;
  options.header_bytes_max = s.header_bytes_max;
  options.body_bytes_max = s.body_bytes_max;
  options.bodies_bytes_max = limits::http_bodies_at_once * s.body_bytes_max;
  options.head_max = s.header_time_max;
  options.body_max = s.body_time_max;
  options.idle_max = s.idle_max;
  options.stall_max = limits::http_stall_max;
  options.admit = [this](const http::request_head& head) { return door_->check(head); };
  options.handle = [this](http::request request, std::shared_ptr<http::exchange> to) {
    handle(std::move(request), std::move(to));
  };
  auto opened = http::server::open(io, std::move(options));
  if (!opened.ok())
    return {msg::errc::invalid_argument, opened.problem};
  if (!opened.warning.empty())
    spdlog::warn("{}", opened.warning);
  listening_ = std::move(opened.value);
  return {};
}

std::string http_front::url() const {
  auto scheme = settings_.http.certificate_file.empty() ? "http://" : "https://";
  auto host = host_.find(':') == std::string::npos ? host_ : "[" + host_ + "]";
  return scheme + host + ":" + std::to_string(port()) + std::string{mcp::http_endpoint};
}

mcp::http_door_rules http_front::door_rules(const http_address& where, bool is_loopback) {
  auto& s = settings_.http;
  mcp::http_door_rules rules{where.host, s.allowed_hosts, s.allowed_origins,
                             [this](std::string_view token) { return name_of_token(token); },
                             [this, is_loopback] { return !is_loopback || issuer_ || tokens_.are_wanted(); }};
  if (!s.certificate_file.empty())
    rules.scheme = "https";
  if (issuer_)
    rules.resource_metadata = protected_resource_text(*issuer_);
  return rules;
}

std::string http_front::name_of_token(std::string_view token) {
  auto name = tokens_.bearer_of(token);
  if (!name.empty() || !issuer_ || !json_web_token::is_token(token))
    return name;
  auto bearer = issuer_->bearer_of(token);
  if (bearer.name.empty()) {
    spdlog::debug("a token of the issuer was refused: {}", bearer.why);
    return {};
  }
  name = std::string{bearer_prefix} + bearer.name;
  auto& until = bearers_[name];
  until = std::max(until, bearer.expires_s);
  return name;
}

/// That was revoked, or whose last token has expired.
bool http_front::is_over(const std::string& token_name) {
  if (!token_name.starts_with(bearer_prefix))
    return !tokens_.has(token_name);
  auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  auto found = bearers_.find(token_name);
  return found == bearers_.end() || found->second <= now;
}

} // namespace bridge
