#include "mcp/http_verdict.hpp"

#include "mcp/jsonrpc.hpp"
#include "mcp/told_error.hpp"
#include "messages/document.hpp"
#include "messages/limits.hpp"
#include "text/ascii.hpp"
#include "text/json_text.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <charconv>

namespace mcp {

namespace json = boost::json;

namespace {

constexpr uint16_t moved_temporarily = 307, moved_permanently = 308, bad_request = 400, unauthorized = 401,
                   forbidden = 403, not_found = 404, method_not_allowed = 405, request_timeout = 408,
                   unsupported_type = 415, too_many = 429, unavailable = 503;

/// What they are called, of those that are common.
constexpr struct {
  uint16_t status;
  const char* words;
} reasons[] = {{301, "Moved Permanently"},
               {302, "Found"},
               {303, "See Other"},
               {moved_temporarily, "Temporary Redirect"},
               {moved_permanently, "Permanent Redirect"},
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

/// Its end says to the reader what to look at.
constexpr auto may_be_done = "; it may have carried out what it was asked";

/// The beginning of what a server says.
std::string shown(std::string_view text, const masking& masked) {
  return masked_beginning(text, msg::limits::child_quote_bytes_max, masked);
}

/// Without what may be a key in it.
std::string shown_address(std::string_view location, const masking& masked) {
  location = location.substr(0, location.find_first_of("?#"));
  auto begin = location.find("//");
  if (begin == location.npos)
    return shown(location, masked);
  begin += 2;
  auto host = location.substr(begin, location.find_first_of("/\\", begin) - begin);
  auto user = host.rfind('@');
  return shown(
    std::string{location.substr(0, begin)}.append(location.substr(begin + (user == host.npos ? 0 : user + 1))), masked);
}

std::string refusal_of_status(const http_exchange& exchange, const masking& masked) {
  auto status = exchange.status();
  auto what = named(status);
  if (auto location = http::find_header(exchange.fields(), "location"); status / 100 == 3 && !location.empty())
    return "redirects with " + what + ", which is not followed: to " + shown_address(location, masked)
           + "; if that is meant, write it as the `url` of its entry";
  auto quote = shown(exchange.quote(), masked);
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

/// Whether a refusal is for the session, which the server does not know: with 400 instead of 404, as the examples of
/// the SDKs have it. It has not looked at the request then: it names none as the one that it answers.
bool names_the_session(const http_exchange& exchange) {
  auto parsed = msg::document::parse(exchange.quote());
  auto* answer = parsed.ok() ? parsed.value.value().if_object() : nullptr;
  auto* id = answer ? answer->if_contains("id") : nullptr;
  auto said = text::in_small_letters(exchange.quote());
  bool is_of_session = said.find("session") != said.npos || said.find("not initialized") != said.npos;
  return is_of_session && (!id || id->is_null());
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
  if (in_session && (status == not_found || (status == bad_request && names_the_session(exchange))))
    return http_verdict::session_lost;
  if (status == unauthorized || status == forbidden)
    return http_verdict::unauthorized;
  if (status == moved_temporarily || status == moved_permanently)
    return status == moved_temporarily ? http_verdict::moved : http_verdict::moved_for_good;
  if ((status == too_many || status == unavailable) && retry_after(exchange.fields()))
    return http_verdict::later;
  bool is_of_other_kind =
    status == bad_request || status == not_found || status == method_not_allowed || status == unsupported_type;
  return is_of_other_kind && !in_session ? http_verdict::other_kind : http_verdict::refused;
}

bool tells_era(const http_exchange& exchange) {
  auto status = exchange.status();
  return status >= 200 && status < 500 && status != unauthorized && status != forbidden && status != request_timeout
         && status != too_many;
}

std::string error_in(const http_exchange& exchange, uint64_t key) {
  bool is_whole = exchange.kind() == body_kind::json && exchange.has_ended() && exchange.result().ok();
  auto parsed = is_whole ? msg::document::parse(exchange.quote()) : msg::outcome<msg::document>{msg::fault{}};
  auto* message = is_whole && parsed.ok() ? parsed.value.value().if_object() : nullptr;
  auto* error = message ? message->if_contains("error") : nullptr;
  if (!error || !error->is_object())
    return {};
  json::object answer{{"jsonrpc", "2.0"}, {"id", static_cast<int64_t>(key)}, {"error", *error}};
  return text::to_text(answer);
}

bool speaks_otherwise(const http_exchange& exchange) {
  auto answer = msg::document::parse(error_in(exchange, 0));
  auto* fields = answer.ok() ? answer.value.value().if_object() : nullptr;
  auto code = fields ? error_code(fields->if_contains("error")) : 0;
  return code == rpc_error::unsupported_revision || code == rpc_error::header_mismatch;
}

std::string refusal_of(const http_exchange& exchange, const masking& masked) {
  if (exchange.status() != 0 && !exchange.is_success())
    return refusal_of_status(exchange, masked);
  if (!exchange.problem().empty())
    return "gave no answer that could be taken: " + exchange.problem() + may_be_done;
  auto& result = exchange.result();
  if (result.ok() && exchange.kind() == body_kind::events)
    return std::string{"ended its stream of events before it answered"} + may_be_done;
  if (result.ok() && exchange.kind() != body_kind::json)
    return "answered with " + named(exchange.status())
           + ", but with no JSON (Content-Type: " + shown(http::find_header(exchange.fields(), "content-type"), masked)
           + "); is the `url` of its entry that of an MCP server?";
  if (result.ok())
    return "answered with " + named(exchange.status()) + ", but not what it was asked" + may_be_done;
  if (exchange.status() == 0 && !result.was_sent)
    return std::string{is_not_sent(result.failure) ? "can not be reached: " : "was not asked: "} + result.message;
  return "did not answer: " + result.message + may_be_done;
}

std::string refusal_of(const http_exchange& exchange, const authorization_advice& advice, const masking& masked) {
  return advice.why.empty() ? refusal_of(exchange, masked) + advice.hint : advice.why;
}

std::string lost_answer(std::string why) {
  if (!why.ends_with(may_be_done))
    why += may_be_done;
  return "ended its stream of events before it answered; asked for the rest, it " + why;
}

std::string redirected_too_often(const http_exchange& exchange, int times, const masking& masked) {
  return "redirects again and again: " + std::to_string(times) + " times, and then to "
         + shown_address(http::find_header(exchange.fields(), "location"), masked)
         + "; write the address that is meant " + "as the `url` of its entry";
}

} // namespace mcp
