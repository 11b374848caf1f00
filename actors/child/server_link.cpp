#include "actors/child/server_link.hpp"

#include "actors/child/masked_answer.hpp"
#include "mcp/connection.hpp"
#include "messages/limits.hpp"
#include "text/broken_json.hpp"
#include "text/json_parse.hpp"
#include "text/utf8.hpp"

#include <spdlog/spdlog.h>

#include <chrono>
#include <utility>

namespace child {

using std::chrono::milliseconds;

namespace {

/// Any server reads a little later than it is written to.
constexpr milliseconds unread_told_min{500};

/// Levels of the protocol of what is logged even where little is.
bool is_grave(std::string_view level) {
  return level == "warning" || level == "error" || level == "critical" || level == "alert" || level == "emergency";
}

/// As the beginning of a sentence about a line that was meant as a message.
std::string why_unread(std::string_view line) {
  return text::is_nested_too_deep(line)
           ? "it is nested deeper than " + std::to_string(text::json_depth_max) + " levels, which is the limit: "
           : "it is no valid JSON: ";
}

/// What is logged of it in any case; empty: there was too much.
std::string allowed_now(mcp::log_allowance& by, std::string text) {
  return by.shown(std::move(text), std::chrono::steady_clock::now());
}

} // namespace

server_link::server_link(std::string server, link_events events)
  : server_(std::move(server)),
    events_(std::move(events)) {}
server_link::~server_link() = default;

// ---- the connection --------------------------------------------------------------------------

void server_link::open(std::shared_ptr<mcp::connection> connection, mcp::opening first,
                       const msg::client_abilities& abilities) {
  connection_ = std::move(connection);
  protocol_ = std::make_unique<mcp::client_protocol>(server_, callbacks());
  if (connection_->says_labels())
    protocol_->say_headers();
  protocol_->start(first, abilities);
}

void server_link::stop_waiting_for_discovery() {
  if (connection_ && protocol_)
    protocol_->stop_waiting_for_discovery();
}

void server_link::listen_again() {
  if (connection_ && protocol_)
    protocol_->listen_again();
}

void server_link::stop() { connection_->stop(); }

void server_link::kill() {
  if (auto open = std::exchange(connection_, nullptr))
    open->kill();
}

mcp::client_callbacks server_link::callbacks() {
  mcp::client_callbacks c;
  c.send = [this](msg::spliced_text message, int64_t id, mcp::request_labels labels) {
    return connection_ && connection_->send(std::move(message), static_cast<uint64_t>(id), std::move(labels));
  };
  c.take_back = [this](int64_t id) { return connection_ && connection_->take_back(static_cast<uint64_t>(id)); };
  c.masked = [this](std::string text) { return masked(std::move(text)); };
  c.listed = [this](msg::outcome<msg::listed_tools> result) {
    result.error.message = masked(std::move(result.error.message)); // of texts that are put together, numbers included
    events_.listed(std::move(result));
  };
  c.answered = [this](msg::call_key key, msg::outcome<msg::document> result) {
    events_.answered(key,
                     masked_answer(std::move(result), [this](std::string text) { return masked(std::move(text)); }));
  };
  c.progressed = events_.progressed;
  c.logged_in_call = events_.logged;
  c.asked = events_.asked;
  c.withdrawn = events_.withdrawn;
  c.paused = events_.paused;
  c.ended = events_.done_with;
  c.tools_changed = events_.tools_changed;
  c.listening_ended = events_.listening_ended;
  c.dropped = events_.dropped;
  c.items_listed = events_.items_listed;
  c.items_dropped = events_.items_dropped;
  c.logged = [this](std::string_view level, const std::string& text) {
    auto weight = is_grave(level) ? spdlog::level::warn : spdlog::level::debug;
    if (!spdlog::should_log(weight))
      return;
    if (auto logged = allowed_now(allowance_, std::string{level} + ": " + text); !logged.empty())
      spdlog::log(weight, "[{}] {}", server_, logged);
  };
  return c;
}

std::string server_link::masked(std::string text) const {
  return connection_ && !text.empty() ? connection_->masked(std::move(text)) : std::move(text);
}

// ---- to the server ---------------------------------------------------------------------------

void server_link::fail_all(const msg::fault& why) {
  if (protocol_)
    protocol_->fail_all(why);
}

uint32_t server_link::unread_ms() const {
  auto unread = connection_ ? connection_->unread_for() : milliseconds{0};
  return unread < unread_told_min ? 0 : static_cast<uint32_t>(unread.count());
}

// ---- from the server -------------------------------------------------------------------------

void server_link::receive(const msg::document& message, uint64_t during) {
  if (protocol_->handshaken()) // until then, what was printed may say why there is none
    lines_.message_came();
  auto problem = protocol_->receive(message, static_cast<int64_t>(during));
  if (problem.empty())
    return;
  if (auto logged = allowed_now(allowance_, std::move(problem)); !logged.empty())
    spdlog::warn("[{}] {}", server_, logged);
}

bool server_link::receives_long_page(const msg::document& message) {
  if (message.text_bytes() <= msg::limits::json_inline_bytes_max || !protocol_->is_tool_page(message))
    return false;
  lines_.message_came();
  return true;
}

void server_link::take_page(mcp::tool_page page) {
  if (protocol_)
    protocol_->take_tool_page(std::move(page));
}

bool server_link::receive_non_protocol_line(std::string_view line) {
  auto quote = text::quoted(line, msg::limits::child_quote_bytes_max);
  auto logged = lines_.logged(quote, connection_ ? connection_->voice() : "where messages are expected");
  if (!logged.empty())
    logged = allowed_now(allowance_, std::move(logged));
  if (!logged.empty())
    spdlog::warn("[{}] {}", server_, logged);
  if (non_protocol_lines::may_be_message(line) && protocol_->fail_broken(line, why_unread(line) + quote))
    return false;
  return lines_.keep(std::move(quote));
}

} // namespace child
