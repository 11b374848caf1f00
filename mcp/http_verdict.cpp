#include "mcp/http_verdict.hpp"

#include "messages/limits.hpp"
#include "text/utf8.hpp"

#include <algorithm>
#include <charconv>

namespace mcp {

namespace {

constexpr uint16_t moved_temporarily = 307, moved_for_good = 308, bad_request = 400, unauthorized = 401,
                   forbidden = 403, not_found = 404, method_not_allowed = 405, unsupported_type = 415, too_many = 429,
                   unavailable = 503;

/// What they are called, of those that are common.
constexpr struct {
  uint16_t status;
  const char* words;
} reasons[] = {{301, "Moved Permanently"},
               {302, "Found"},
               {303, "See Other"},
               {moved_temporarily, "Temporary Redirect"},
               {moved_for_good, "Permanent Redirect"},
               {bad_request, "Bad Request"},
               {unauthorized, "Unauthorized"},
               {forbidden, "Forbidden"},
               {not_found, "Not Found"},
               {method_not_allowed, "Method Not Allowed"},
               {406, "Not Acceptable"},
               {409, "Conflict"},
               {410, "Gone"},
               {413, "Content Too Large"},
               {unsupported_type, "Unsupported Media Type"},
               {too_many, "Too Many Requests"},
               {500, "Internal Server Error"},
               {502, "Bad Gateway"},
               {unavailable, "Service Unavailable"},
               {504, "Gateway Timeout"}};

std::string named(uint16_t status) {
  auto* known = std::find_if(std::begin(reasons), std::end(reasons), [&](auto& r) { return r.status == status; });
  return "HTTP " + std::to_string(status) + (known == std::end(reasons) ? "" : " (" + std::string{known->words} + ")");
}

/// Without what may be a key in it.
std::string shown_address(std::string_view location) {
  return text::quoted(location.substr(0, location.find_first_of("?#")), msg::limits::child_quote_bytes_max);
}

std::string refusal_of_status(const http_exchange& exchange) {
  auto status = exchange.status();
  auto what = named(status);
  if (auto location = http::find_header(exchange.fields(), "location"); status / 100 == 3 && !location.empty())
    return "redirects with " + what + ", which is not followed: to " + shown_address(location)
           + "; if that is meant, write it as the `url` of its entry";
  auto quote = text::quoted(exchange.quote(), msg::limits::child_quote_bytes_max);
  auto told = what + (quote.empty() ? "" : ": " + quote);
  if (status == unauthorized)
    return "wants to know who asks: it answered with " + told
           + "; give its entry the token, such as \"headers\": {\"Authorization\": \"Bearer ...\"}";
  if (status == forbidden)
    return "does not allow it: it answered with " + told;
  return "answered with " + told;
}

bool is_not_sent(http::client_failure failure) {
  using enum http::client_failure;
  return failure == resolve || failure == connect || failure == tls;
}

} // namespace

std::optional<std::chrono::milliseconds> retry_after(const http::headers& fields) {
  auto text = http::find_header(fields, "retry-after");
  uint32_t seconds = 0;
  auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  bool is_number = failed == std::errc{} && end == text.data() + text.size();
  if (!is_number || std::chrono::seconds{seconds} > http_later_max)
    return std::nullopt;
  return std::chrono::seconds{seconds};
}

http_verdict verdict_of(const http_exchange& exchange, bool in_session) {
  auto status = exchange.status();
  if (exchange.is_success())
    return http_verdict::accepted;
  if (status == 0)
    return is_not_sent(exchange.result().failure) && !exchange.result().was_sent ? http_verdict::unreachable
                                                                                 : http_verdict::refused;
  if (status == not_found && in_session)
    return http_verdict::session_lost;
  if (status == moved_temporarily || status == moved_for_good)
    return http_verdict::moved;
  if ((status == too_many || status == unavailable) && retry_after(exchange.fields()))
    return http_verdict::later;
  bool is_of_other_kind =
    status == bad_request || status == not_found || status == method_not_allowed || status == unsupported_type;
  return is_of_other_kind && !in_session ? http_verdict::other_kind : http_verdict::refused;
}

std::string refusal_of(const http_exchange& exchange) {
  if (exchange.status() != 0 && !exchange.is_success())
    return refusal_of_status(exchange);
  if (!exchange.problem().empty())
    return "gave no answer that could be taken: " + exchange.problem();
  auto& result = exchange.result();
  if (result.ok() && exchange.kind() == body_kind::events)
    return "ended its stream of events before it answered; it may have carried out what it was asked";
  if (result.ok() && exchange.kind() != body_kind::json)
    return "answered with " + named(exchange.status()) + ", but with no JSON (Content-Type: "
           + text::quoted(http::find_header(exchange.fields(), "content-type"), msg::limits::child_quote_bytes_max)
           + "); is the `url` of its entry that of an MCP server?";
  if (result.ok())
    return "answered with " + named(exchange.status()) + ", but not what it was asked";
  if (!result.was_sent)
    return std::string{is_not_sent(result.failure) ? "can not be reached: " : "was not asked: "} + result.message;
  return "did not answer: " + result.message + "; it may have carried out what it was asked";
}

} // namespace mcp
