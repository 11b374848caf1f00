#include "response_text.hpp"

#include "small_letters.hpp"

#include "http/field_text.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ctime>

namespace http {

namespace {

/// Said by the server itself: a second one would make two readers see two answers.
constexpr std::array own_fields{"connection",        "content-length", "date",   "keep-alive",
                                "transfer-encoding", "trailer",        "upgrade"};
constexpr uint16_t status_min = 200;
constexpr uint16_t status_max = 599;
constexpr uint16_t status_of_nonsense = 500;

std::string_view reason_of(uint16_t status) {
  switch (status) {
    case 200: return "OK";
    case 201: return "Created";
    case 202: return "Accepted";
    case 204: return "No Content";
    case 304: return "Not Modified";
    case 400: return "Bad Request";
    case 401: return "Unauthorized";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 406: return "Not Acceptable";
    case 408: return "Request Timeout";
    case 409: return "Conflict";
    case 413: return "Content Too Large";
    case 415: return "Unsupported Media Type";
    case 417: return "Expectation Failed";
    case 429: return "Too Many Requests";
    case 431: return "Request Header Fields Too Large";
    case 500: return "Internal Server Error";
    case 501: return "Not Implemented";
    case 503: return "Service Unavailable";
    case 505: return "HTTP Version Not Supported";
    default: return ""; // RFC 9112, 4: it may be empty
  }
}

void add(std::string& to, std::string_view name, std::string_view value) {
  if (is_token(name) && is_field_value(value))
    fmt::format_to(std::back_inserter(to), "{}: {}\r\n", name, value);
}

std::string now_text() { return fmt::format("{:%a, %d %b %Y %H:%M:%S} GMT", fmt::gmtime(std::time(nullptr))); }

/// Whether one of them was a Cache-Control.
bool add_fields(std::string& to, const response& answer) {
  bool has_cache_control = false;
  for (auto& field : answer.fields) {
    auto name = small_letters(field.name);
    if (std::find(own_fields.begin(), own_fields.end(), name) != own_fields.end() || name == "x-content-type-options"
        || (name == "content-type" && !answer.type.empty()))
      continue;
    has_cache_control = has_cache_control || name == "cache-control";
    add(to, field.name, field.value);
  }
  return has_cache_control;
}

} // namespace

bool is_bodiless(uint16_t status) { return status == 204 || status == 304; }

std::string head_text(const response& answer, body_end end, uint64_t length, afterwards then) {
  auto status = answer.status < status_min || answer.status > status_max ? status_of_nonsense : answer.status;
  auto text = fmt::format("HTTP/1.1 {} {}\r\n", status, reason_of(status));
  add(text, "Date", now_text());
  add(text, "Connection", then == afterwards::keep ? "keep-alive" : "close");
  if (end == body_end::length && !is_bodiless(status))
    add(text, "Content-Length", std::to_string(length));
  if (end == body_end::chunks && !is_bodiless(status))
    add(text, "Transfer-Encoding", "chunked");
  if (!answer.type.empty())
    add(text, "Content-Type", answer.type);
  add(text, "X-Content-Type-Options", "nosniff");
  if (!add_fields(text, answer))
    add(text, "Cache-Control", "no-store");
  return text + "\r\n";
}

std::string last_answer_text(const response& answer) {
  auto text = head_text(answer, body_end::length, answer.body.size(), afterwards::close);
  return is_bodiless(answer.status) ? text : text + answer.body;
}

response plain_answer(uint16_t status, std::string_view sentence) {
  return {status, "text/plain; charset=utf-8", std::string{sentence} + "\n", {}};
}

} // namespace http
