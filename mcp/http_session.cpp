#include "mcp/http_session.hpp"

#include "http/url.hpp"
#include "mcp/field_coding.hpp"
#include "mcp/revision.hpp"
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
/// Nothing else is sent meanwhile; a server that was asleep takes its time.
constexpr milliseconds handshake_max{30'000};
/// Only a few are on their way at once, and others wait.
constexpr milliseconds note_max{10'000};
/// Streams have no length; each message in them does.
constexpr size_t stream_bytes_max = size_t{1} << 50;
/// It is sent back in a header.
constexpr size_t session_id_bytes_max = 4u << 10;
constexpr size_t revision_bytes_max = 64;
/// Of an address that a server wants its messages at: far beyond what servers take.
constexpr size_t address_bytes_max = 8u << 10;

milliseconds time_of(http_purpose purpose) {
  switch (purpose) {
    case http_purpose::request: return answer_max;
    case http_purpose::handshake: return handshake_max;
    case http_purpose::note: return note_max;
    case http_purpose::stream:
    case http_purpose::listen: return stream_max;
    case http_purpose::end: return msg::limits::child_stop_stdin;
  }
  return answer_max;
}

/// Visible ASCII, as 2025-11-25 wants it.
bool is_visible(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7f; });
}

/// Another address of the same server; empty: it is none, or libcurl would not take it.
std::string address_at(const std::string& base, std::string_view address) {
  bool may_be_one = !address.empty() && address.size() <= address_bytes_max && is_visible(address);
  return may_be_one ? http::same_origin_url(base, address) : std::string{};
}

const json::value* member(const json::value& of, std::string_view name) {
  auto* object = of.if_object();
  return object ? object->if_contains(name) : nullptr;
}

/// Ids of ours are whole numbers above 0.
uint64_t key_answered_by(const json::value& message) {
  auto* id = member(message, "id");
  if (!id || member(message, "method"))
    return 0;
  json::error_code not_whole;
  auto key = id->is_number() ? id->to_number<uint64_t>(not_whole) : 0;
  return not_whole ? 0 : key;
}

void add_labels(const request_labels& labels, http::headers& fields) {
  fields.push_back({"MCP-Protocol-Version", std::string{name_of(revision::r2026_07_28)}});
  fields.push_back({"Mcp-Method", coded_field(labels.method)});
  if (!labels.name.empty())
    fields.push_back({"Mcp-Name", coded_field(labels.name)});
  for (auto& [name, value] : labels.parameters)
    fields.push_back({name, value});
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
                                           const request_labels& labels) const {
  http::client_request out;
  bool is_stream = purpose == http_purpose::stream, is_end = purpose == http_purpose::end;
  out.method = is_stream ? "GET" : is_end ? "DELETE" : "POST";
  out.url = is_stream && is_sse() ? where_.url : post_url_;
  out.fields = where_.fields;
  if (!is_stream && !is_end)
    out.fields.push_back({"Content-Type", "application/json"});
  out.fields.push_back({"Accept", is_stream ? "text/event-stream" : "application/json, text/event-stream"});
  if (!authorization_.empty())
    out.fields.push_back({"Authorization", authorization_});
  labels.is_empty() ? add_session(out.fields) : add_labels(labels, out.fields);
  out.body = text;
  out.response_bytes_max = stream_bytes_max;
  out.total_timeout = time_of(purpose);
  out.first_byte_timeout = out.total_timeout;
  return out;
}

void http_session::add_session(http::headers& fields) const {
  if (!revision_.empty())
    fields.push_back({"MCP-Protocol-Version", revision_});
  if (!id_.empty())
    fields.push_back({"Mcp-Session-Id", id_});
}

http::client_request http_session::stream(const std::string& last_event) const {
  auto out = request(http_purpose::stream);
  if (!last_event.empty())
    out.fields.push_back({"Last-Event-ID", last_event});
  return out;
}

std::string http_session::redirected(const std::string& from, const http::headers& fields) const {
  return address_at(from.empty() ? post_url_ : from, http::find_header(fields, "location"));
}

bool http_session::post_to(std::string_view address) {
  auto url = address_at(post_url_, address);
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

std::string http_session::take_head(const http::headers& fields) {
  auto id = http::find_header(fields, "mcp-session-id");
  if (id.size() > session_id_bytes_max)
    return "gave a session id (Mcp-Session-Id) of " + std::to_string(id.size()) + " bytes; "
           + std::to_string(session_id_bytes_max) + " is the limit";
  if (!is_visible(id))
    return "gave a session id (Mcp-Session-Id) with a character that can not be sent back: only visible ASCII can";
  id_ = id;
  return {};
}

void http_session::take_message(const json::value& message) {
  if (!revision_.empty() || initialize_key_ == 0 || key_answered_by(message) != initialize_key_)
    return;
  revision_ = revision_in(message);
  json::error_code failed;
  auto* changes = message.find_pointer("/result/capabilities/tools/listChanged", failed);
  announces_changes_ = changes && changes->is_bool() && changes->get_bool();
}

bool http_session::take_second_answer(const json::value& message) {
  auto revision = key_answered_by(message) == initialize_key_ ? revision_in(message) : std::string{};
  return !revision.empty() && revision == revision_;
}

void http_session::forget() {
  id_.clear();
  ++number_;
}

msg::document error_answer(uint64_t key, const std::string& why, int32_t code) {
  json::object error{{"code", code}, {"message", why}};
  return msg::document{
    json::object{{"jsonrpc", "2.0"}, {"id", static_cast<int64_t>(key)}, {"error", std::move(error)}}};
}

msg::document tools_have_changed() {
  return msg::document{json::object{{"jsonrpc", "2.0"}, {"method", "notifications/tools/list_changed"}}};
}

std::vector<uint64_t> keys_answered_by(const json::value& message) {
  std::vector<uint64_t> out;
  auto add = [&out](const json::value& each) {
    if (auto key = key_answered_by(each); key != 0)
      out.push_back(key);
  };
  if (auto* batch = message.if_array())
    std::for_each(batch->begin(), batch->end(), add);
  else
    add(message);
  return out;
}

} // namespace mcp
