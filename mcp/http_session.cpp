#include "mcp/http_session.hpp"

#include "http/url.hpp"
#include "messages/limits.hpp"

#include <boost/json/object.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

namespace mcp {

namespace json = boost::json;
using std::chrono::milliseconds;

namespace {

/// An answer may take as long as its tool does; callers have times of their own, which are shorter.
constexpr milliseconds answer_max{std::chrono::hours{1}};
/// A stream is asked for again then.
constexpr milliseconds stream_max{std::chrono::hours{24}};
/// Of what a server answers at once: nothing else is sent meanwhile.
constexpr milliseconds quick_max{30'000};
/// Streams have no length; each message in them does.
constexpr size_t stream_bytes_max = size_t{1} << 50;
/// It is sent back in a header.
constexpr size_t session_id_bytes_max = 4u << 10;
constexpr size_t revision_bytes_max = 64;
/// What a notification has to say of a request.
constexpr size_t notification_bytes_max = 64u << 10;

/// Of JSON-RPC: where the errors of servers begin.
constexpr int32_t no_answer_code = -32000;

milliseconds time_of(http_purpose purpose) {
  switch (purpose) {
    case http_purpose::request: return answer_max;
    case http_purpose::quick: return quick_max;
    case http_purpose::stream: return stream_max;
    case http_purpose::end: return msg::limits::child_stop_stdin;
  }
  return answer_max;
}

/// Visible ASCII, as 2025-11-25 wants it.
bool is_visible(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7f; });
}

const json::value* member(const json::value& of, std::string_view name) {
  auto* object = of.if_object();
  return object ? object->if_contains(name) : nullptr;
}

bool is_answer(const json::value& message, uint64_t key) {
  auto* id = member(message, "id");
  if (!id || member(message, "method"))
    return false;
  return (id->is_int64() && std::cmp_equal(id->get_int64(), key)) || (id->is_uint64() && id->get_uint64() == key)
         || (id->is_double() && id->get_double() == static_cast<double>(key));
}

std::string revision_in(const json::value& message) {
  auto* result = member(message, "result");
  auto* revision = result ? member(*result, "protocolVersion") : nullptr;
  bool is_one = revision && revision->is_string() && revision->get_string().size() <= revision_bytes_max
                && is_visible(revision->get_string());
  return is_one ? std::string{revision->get_string()} : std::string{};
}

} // namespace

http_session::http_session(http_target where) : where_(std::move(where)), post_url_(where_.url) {}

// ---- requests --------------------------------------------------------------------------------

http::client_request http_session::request(http_purpose purpose, const std::string& text,
                                           const std::string& last_event) const {
  http::client_request out;
  bool is_stream = purpose == http_purpose::stream, is_end = purpose == http_purpose::end;
  out.method = is_stream ? "GET" : is_end ? "DELETE" : "POST";
  out.url = is_stream && is_sse() ? where_.url : post_url_;
  out.fields = where_.fields;
  if (!is_stream && !is_end)
    out.fields.push_back({"Content-Type", "application/json"});
  out.fields.push_back({"Accept", is_stream ? "text/event-stream" : "application/json, text/event-stream"});
  if (!revision_.empty())
    out.fields.push_back({"MCP-Protocol-Version", revision_});
  if (!id_.empty())
    out.fields.push_back({"Mcp-Session-Id", id_});
  if (!last_event.empty())
    out.fields.push_back({"Last-Event-ID", last_event});
  out.body = text;
  out.response_bytes_max = stream_bytes_max;
  out.total_timeout = time_of(purpose);
  out.first_byte_timeout = out.total_timeout;
  return out;
}

bool http_session::follow(const http::headers& fields) { return post_to(http::find_header(fields, "location")); }

bool http_session::post_to(std::string_view address) {
  auto url = address.empty() ? std::string{} : http::same_origin_url(post_url_, address);
  if (url.empty())
    return false;
  post_url_ = std::move(url);
  return true;
}

// ---- the session -----------------------------------------------------------------------------

void http_session::note_sent(const std::string& text, uint64_t key) {
  if (!initialize_.empty())
    return;
  initialize_ = text;
  initialize_key_ = key;
}

bool http_session::ends_handshake(const std::string& text) {
  if (!initialized_.empty())
    return false;
  initialized_ = text;
  return true;
}

void http_session::take_head(const http::headers& fields) {
  auto id = http::find_header(fields, "mcp-session-id");
  id_ = id.size() <= session_id_bytes_max && is_visible(id) ? std::string{id} : std::string{};
}

bool http_session::take_answer(const json::value& message, uint64_t key) {
  if (auto* batch = message.if_array())
    return std::any_of(batch->begin(), batch->end(), [&](auto& each) { return is_answer(each, key); });
  if (!is_answer(message, key))
    return false;
  if (begins(key))
    revision_ = revision_in(message);
  return true;
}

bool http_session::take_second_answer(const json::value& message) {
  auto revision = is_answer(message, initialize_key_) ? revision_in(message) : std::string{};
  return !revision.empty() && revision == revision_;
}

void http_session::forget() {
  id_.clear();
  ++number_;
}

msg::document error_answer(uint64_t key, const std::string& why) {
  json::object error{{"code", no_answer_code}, {"message", why}};
  return msg::document{
    json::object{{"jsonrpc", "2.0"}, {"id", static_cast<int64_t>(key)}, {"error", std::move(error)}}};
}

msg::document tools_have_changed() {
  return msg::document{json::object{{"jsonrpc", "2.0"}, {"method", "notifications/tools/list_changed"}}};
}

uint64_t http_session::cancelled_by(const std::string& text) {
  if (text.size() > notification_bytes_max || text.find("notifications/cancelled") == text.npos)
    return 0;
  auto parsed = msg::document::parse(text);
  auto& message = parsed.value.value();
  auto* method = member(message, "method");
  auto* params = member(message, "params");
  auto* id = params ? member(*params, "requestId") : nullptr;
  bool is_one = parsed.ok() && method && method->is_string() && method->get_string() == "notifications/cancelled";
  if (!is_one || !id)
    return 0;
  return id->is_int64() ? static_cast<uint64_t>(id->get_int64()) : id->is_uint64() ? id->get_uint64() : 0;
}

} // namespace mcp
