// What is served over HTTP, and to whom.
#include "config/settings_parts.hpp"

#include <algorithm>
#include <cctype>

namespace config {

namespace {

constexpr size_t name_bytes_max = 253;
constexpr size_t url_bytes_max = 2'000;

bool is_host_name(std::string_view text) {
  auto is_part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '-'; };
  return !text.empty() && text.size() <= name_bytes_max && std::all_of(text.begin(), text.end(), is_part);
}

bool is_origin(std::string_view text) {
  auto scheme_end = text.find("://");
  if (scheme_end == text.npos || scheme_end == 0 || text.size() > name_bytes_max)
    return false;
  auto host = text.substr(scheme_end + 3);
  auto is_part = [](char c) { return std::isgraph(static_cast<unsigned char>(c)) && c != '/' && c != '*' && c != ','; };
  return !host.empty() && std::all_of(host.begin(), host.end(), is_part);
}

bool is_issuer(std::string_view text) {
  auto is_part = [](char c) { return std::isgraph(static_cast<unsigned char>(c)) && c != '?' && c != '#'; };
  bool is_here = text.starts_with("http://127.0.0.1") || text.starts_with("http://localhost");
  return (text.starts_with("https://") || is_here) && text.size() <= url_bytes_max
         && std::all_of(text.begin(), text.end(), is_part);
}

bool is_audience(std::string_view text) {
  auto is_part = [](char c) { return std::isgraph(static_cast<unsigned char>(c)); };
  return !text.empty() && text.size() <= url_bytes_max && std::all_of(text.begin(), text.end(), is_part);
}

} // namespace

void read_http(section s, http_settings& to) {
  s.list({"allowedHosts", "names by which clients reach serve --http, besides its address and localhost"}, is_host_name,
         "a host name, without port", to.allowed_hosts);
  s.list({"allowedOrigins", "web pages that may use serve --http, besides those of this machine"}, is_origin,
         "an origin, such as https://app.example.com", to.allowed_origins);
  auto tls = s.inside("tls");
  tls.path(
    {"cert", "certificate of this server in PEM, with those that lead to a known one: then clients reach it by https"},
    to.certificate_file);
  tls.path({"key", "its key in PEM, without a passphrase"}, to.key_file);
  if (to.certificate_file.empty() != to.key_file.empty())
    s.complain(msg::errc::invalid_argument,
               tls.at(to.key_file.empty() ? "cert" : "key") + " needs both 'cert' and 'key'");
  auto oauth = s.inside("oauth");
  oauth.text({"issuer", "who gives access tokens (JWT) that count besides those of `token new`"}, is_issuer,
             "an address with https, such as https://login.example.com", to.issuer);
  oauth.text({"audience", "what these tokens have to be for: the address of this server"}, is_audience, "a text",
             to.audience);
  if (to.issuer.empty() != to.audience.empty())
    s.complain(msg::errc::invalid_argument,
               oauth.at(to.issuer.empty() ? "audience" : "issuer") + " needs both 'issuer' and 'audience'");
  s.integer({"maxConnections", "of serve --http at once"}, 1, 10'000, to.connections_max);
  s.integer({"maxStreams", "answers and streams of one client at once"}, 1, 1'000, to.streams_max);
  s.integer({"maxSessions", "of clients that begin with initialize"}, 1, 10'000, to.sessions_max);
  uint32_t header_kib = to.header_bytes_max >> 10;
  s.integer({"maxHeaderKb", "head of a request, in KiB"}, 1, 64, header_kib);
  to.header_bytes_max = header_kib << 10;
  s.mebibytes({"maxBodyMb", "a message, in MiB"}, 1, 16, to.body_bytes_max);
  s.milliseconds({"headerTimeoutMs", "for a head to come"}, 100, 600'000, to.header_time_max);
  s.milliseconds({"bodyTimeoutMs", "for a message to come"}, 100, 600'000, to.body_time_max);
  s.seconds({"idleSeconds", "a connection without a request is closed then"}, 1, 86'400, to.idle_max);
  s.seconds({"sessionIdleSeconds", "a client that began with initialize is forgotten then"}, 1, 604'800,
            to.session_idle_max);
}

} // namespace config
