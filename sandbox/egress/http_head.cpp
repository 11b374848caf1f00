#include "sandbox/egress/http_head.hpp"

#include "messages/limits.hpp"

#include <algorithm>
#include <charconv>

namespace egress {

namespace {

using msg::errc;
using msg::fault;
using msg::outcome;
using fields = std::vector<http_field>;

constexpr std::string_view line_end = "\r\n";
constexpr size_t method_chars_max = 32;
constexpr uint16_t http_port = 80;

/// Of one connection only (RFC 9110, 7.6.1), and those of the proxy itself. Transfer-Encoding stays: bodies pass
/// unchanged.
constexpr std::string_view hop_by_hop[] = {
  "connection",
  "keep-alive",
  "proxy-connection",
  "proxy-authorization",
  "proxy-authenticate",
  "proxy-authentication-info",
  "te",
  "trailer",
  "upgrade",
};
/// A Connection field that names one of these would take away what says where the message ends or whom it is for.
constexpr std::string_view indispensable[] = {"content-length", "transfer-encoding", "host"};

fault malformed_head(std::string_view why) { return {errc::invalid_argument, std::string{why}}; }

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lower(x) == lower(y); });
}

template <class Names>
bool is_one_of(std::string_view name, const Names& names) {
  return std::any_of(std::begin(names), std::end(names), [&](auto& n) { return same(name, n); });
}

bool is_token(std::string_view text) {
  constexpr std::string_view marks = "!#$%&'*+-.^_`|~";
  auto good = [&](char c) {
    return (lower(c) >= 'a' && lower(c) <= 'z') || (c >= '0' && c <= '9') || marks.find(c) != marks.npos;
  };
  return !text.empty() && std::all_of(text.begin(), text.end(), good);
}

bool is_visible(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7f; });
}

/// Texts of field values: no control characters but tabs; bytes above 0x7f are Latin-1 or UTF-8 of the guest or the
/// host.
bool is_field_text(std::string_view text) {
  return std::none_of(text.begin(), text.end(),
                      [](char c) { return (static_cast<unsigned char>(c) < ' ' && c != '\t') || c == 0x7f; });
}

std::string_view trimmed(std::string_view text) {
  auto begin = text.find_first_not_of(" \t");
  return begin == text.npos ? std::string_view{} : text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

std::string_view take_line(std::string_view& text) {
  auto end = text.find(line_end);
  auto line = text.substr(0, end);
  text.remove_prefix(end == text.npos ? text.size() : end + line_end.size());
  return line;
}

/// Lines up to the empty one.
outcome<fields> parse_fields(std::string_view text) {
  fields out;
  for (auto line = take_line(text); !line.empty(); line = take_line(text)) {
    if (line.front() == ' ' || line.front() == '\t')
      return malformed_head("a header field is continued on a further line");
    auto colon = line.find(':');
    if (colon == line.npos || !is_token(line.substr(0, colon)))
      return malformed_head("the name of a header field is malformed");
    if (!is_field_text(line.substr(colon)))
      return malformed_head("there is a control character in a header field");
    if (out.size() == msg::limits::egress_fields_max)
      return malformed_head("there are too many header fields");
    out.push_back({std::string{line.substr(0, colon)}, std::string{trimmed(line.substr(colon + 1))}});
  }
  if (!text.empty())
    return malformed_head("there is text after the empty line");
  return out;
}

/// Takes out hop-by-hop fields and those that Connection names. False: it names an indispensable one.
bool remove_hop_by_hop(fields& all) {
  std::vector<std::string> named;
  for (auto& f : all) {
    std::string_view rest = f.value;
    while (same(f.name, "connection") && !rest.empty()) {
      auto comma = rest.find(',');
      named.emplace_back(trimmed(rest.substr(0, comma)));
      rest.remove_prefix(comma == rest.npos ? rest.size() : comma + 1);
    }
  }
  if (std::any_of(named.begin(), named.end(), [](auto& name) { return is_one_of(name, indispensable); }))
    return false;
  std::erase_if(all, [&](auto& f) { return is_one_of(f.name, hop_by_hop) || is_one_of(f.name, named); });
  return true;
}

std::optional<uint64_t> parse_length(std::string_view text) {
  uint64_t value = 0;
  auto* end = text.data() + text.size();
  auto [stop, ec] = std::from_chars(text.data(), end, value);
  if (text.empty() || ec != std::errc{} || stop != end)
    return {};
  return value;
}

/// How the body of a request is delimited. Exactly one way to tell, or the request is refused.
fault read_body_kind(proxy_request& r) {
  size_t lengths = 0, encodings = 0, hosts = 0;
  for (auto& f : r.fields) {
    hosts += same(f.name, "host");
    if (same(f.name, "content-length")) {
      auto n = parse_length(f.value);
      if (++lengths > 1 || !n)
        return malformed_head("Content-Length is no single number");
      r.body = body_kind::counted;
      r.body_bytes = *n;
    } else if (same(f.name, "transfer-encoding")) {
      if (++encodings > 1 || !same(f.value, "chunked") || r.version == "HTTP/1.0")
        return malformed_head("the only Transfer-Encoding supported is 'chunked', with HTTP/1.1");
      r.body = body_kind::chunked;
    }
  }
  if (hosts > 1)
    return malformed_head("there are several Host fields");
  if (lengths + encodings > 1)
    return malformed_head("there are both Content-Length and Transfer-Encoding");
  if (r.method == "CONNECT" && r.body != body_kind::none)
    return malformed_head("CONNECT has no body");
  return {};
}

/// "host", "host:port", "[v6]:port"; nothing else.
fault read_authority(proxy_request& r, std::string_view authority) {
  auto bracket = authority.starts_with('[') ? authority.find(']') : 0;
  if (bracket == authority.npos || authority.find('@') != authority.npos)
    return malformed_head("the host is malformed, or there is a user name before it");
  auto colon = authority.find(':', bracket);
  if (colon != authority.npos) {
    auto port = parse_port(authority.substr(colon + 1));
    if (!port)
      return malformed_head("the port is no number from 1 to 65535");
    r.port = *port;
  } else if (r.method == "CONNECT") {
    return malformed_head("CONNECT needs HOST:PORT");
  } else {
    r.port = http_port;
  }
  auto parsed = parse_host(authority.substr(0, colon));
  if (!parsed.ok())
    return std::move(parsed.error);
  r.to = std::move(parsed.value);
  return {};
}

fault read_url(proxy_request& r, std::string_view url) {
  constexpr std::string_view scheme = "http://";
  if (url.starts_with('/') || url == "*")
    return malformed_head("this is a proxy: the request line must hold a whole URL");
  if (url.size() < scheme.size() || !same(url.substr(0, scheme.size()), scheme))
    return malformed_head("only http:// URLs can be asked for; everything else goes through CONNECT");
  url.remove_prefix(scheme.size());
  if (url.find('#') != url.npos)
    return malformed_head("there is a fragment in the URL");
  auto end = std::min(url.find_first_of("/?"), url.size());
  r.path = url.substr(end);
  if (!r.path.starts_with('/'))
    r.path.insert(0, 1, '/');
  return read_authority(r, url.substr(0, end));
}

fault read_request_line(proxy_request& r, std::string_view line) {
  auto first = line.find(' '), last = line.rfind(' ');
  if (first == line.npos || first == last)
    return malformed_head("the request line is malformed");
  auto target = line.substr(first + 1, last - first - 1);
  r.method = line.substr(0, first);
  r.version = line.substr(last + 1);
  if (!is_token(r.method) || r.method.size() > method_chars_max || !is_visible(target))
    return malformed_head("the request line is malformed");
  if (r.version != "HTTP/1.1" && r.version != "HTTP/1.0")
    return malformed_head("only HTTP/1.0 and HTTP/1.1 are supported");
  return r.method == "CONNECT" ? read_authority(r, target) : read_url(r, target);
}

/// Only where the body ends for certain; else it ends with the connection.
void read_body_kind(http_response& r, const fields& all, std::string_view method) {
  if (method == "HEAD" || r.status < 200 || r.status == 204 || r.status == 304) {
    r.body = body_kind::none;
    return;
  }
  size_t lengths = 0, encodings = 0;
  for (auto& f : all) {
    if (same(f.name, "transfer-encoding")) {
      r.body = ++encodings == 1 && same(f.value, "chunked") ? body_kind::chunked : body_kind::until_close;
    } else if (same(f.name, "content-length") && encodings == 0) {
      auto n = parse_length(f.value);
      r.body = ++lengths == 1 && n ? body_kind::counted : body_kind::until_close;
      r.body_bytes = n.value_or(0);
    }
  }
}

void append(std::string& to, const fields& all) {
  for (auto& f : all)
    to.append(f.name).append(": ").append(f.value).append(line_end);
}

} // namespace

head_end find_head_end(std::string_view text, size_t scanned) {
  for (auto i = scanned; i < text.size(); ++i) {
    auto c = static_cast<unsigned char>(text[i]);
    if (c >= ' ' || c == '\t' || c == '\r')
      continue;
    if (c != '\n' || i == 0 || text[i - 1] != '\r')
      return {{}, true};
    if (i >= 3 && text[i - 2] == '\n')
      return {i + 1, false};
  }
  return {};
}

outcome<proxy_request> parse_request(std::string_view head) {
  proxy_request r;
  if (find_head_end(head).bytes != head.size())
    return malformed_head("the head has no end, or control characters in it");
  if (auto problem = read_request_line(r, take_line(head)); problem.code != errc::none)
    return problem;
  auto parsed = parse_fields(head);
  if (!parsed.ok())
    return std::move(parsed.error);
  r.fields = std::move(parsed.value);
  if (auto problem = read_body_kind(r); problem.code != errc::none)
    return problem;
  if (!remove_hop_by_hop(r.fields))
    return malformed_head("Connection names a field that the message needs");
  std::erase_if(r.fields, [](auto& f) { return same(f.name, "host"); });
  return r;
}

std::string origin_head(const proxy_request& r) {
  auto out = r.method + " " + r.path + " " + r.version
             + "\r\nHost: " + (r.port == http_port ? r.to.text() : with_port(r.to, r.port)) + "\r\n";
  append(out, r.fields);
  return out + "Connection: close\r\n\r\n";
}

outcome<http_response> parse_response(std::string_view head, std::string_view method) {
  constexpr std::string_view shape = "HTTP/1.x 200";
  http_response out;
  if (find_head_end(head).bytes != head.size())
    return malformed_head("its head has no end, or control characters in it");
  auto line = take_line(head);
  auto digits = line.size() < shape.size() ? std::string_view{} : line.substr(shape.size() - 3, 3);
  auto [stop, ec] = std::from_chars(digits.data(), digits.data() + digits.size(), out.status);
  bool good = ec == std::errc{} && stop == digits.data() + digits.size() && out.status >= 100
              && (line.starts_with("HTTP/1.1 ") || line.starts_with("HTTP/1.0 "))
              && (line.size() == shape.size() || line[shape.size()] == ' ');
  if (!good || !is_field_text(line))
    return malformed_head("its status line is malformed");
  auto parsed = parse_fields(head);
  if (!parsed.ok())
    return std::move(parsed.error);
  if (!remove_hop_by_hop(parsed.value))
    return malformed_head("Connection names a field that the message needs");
  read_body_kind(out, parsed.value, method);
  out.head = std::string{line} + "\r\n";
  append(out.head, parsed.value);
  out.head += out.status < 200 ? "\r\n" : "Connection: close\r\n\r\n";
  return out;
}

} // namespace egress
