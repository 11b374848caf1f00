#include "cli/session_client.hpp"

#include "actors/bridge/ask.hpp"
#include "mcp/jsonrpc.hpp"
#include "mcp/revision.hpp"
#include "process/no_throw.hpp"

#include <boost/json/value.hpp>
#include <caf/all.hpp>

#include <utility>

namespace cli {

namespace json = boost::json;
using msg::errc;
using msg::fault;

namespace {

/// The session takes a message in microseconds.
constexpr std::chrono::seconds handover_max{30};
/// There is one way to this client.
constexpr uint64_t only_stream = 0;
/// Of the only request whose answer counts.
constexpr int call_id = 1;

/// Of an answer to it; nothing: it is another message.
std::optional<msg::outcome<msg::document>> read_answer(const std::string& text) {
  auto parsed = msg::document::parse(text);
  if (!parsed.ok())
    return std::move(parsed.error);
  auto view = mcp::classify(parsed.value.value());
  if (view.what != mcp::message_view::kind::response || view.id != json::value(call_id))
    return std::nullopt;
  if (view.result)
    return parsed.value.part(*view.result);
  auto* error = view.error->if_object();
  auto* message = error ? error->if_contains("message") : nullptr;
  return fault{errc::invalid_argument,
               message && message->is_string() ? std::string{message->get_string()} : "it was refused"};
}

} // namespace

session_client::session_client(asio::io_context& io, caf::strong_actor_ptr port, std::string name)
  : port_(std::move(port)),
    name_(std::move(name)),
    answered_(io, asio::steady_timer::time_point::max()) {}

actors::client_wire session_client::wire() {
  return {[this](const mcp::outgoing& message) { take(message); }, nullptr, nullptr};
}

void session_client::take(const mcp::outgoing& message) {
  if (message.what != mcp::outgoing::kind::answer || answer_)
    return;
  answer_ = read_answer(message.text.text());
  if (answer_)
    answered_.cancel();
}

asio::awaitable<fault> session_client::tell(json::object message) {
  message["jsonrpc"] = "2.0";
  msg::document sent{json::value(std::move(message))};
  auto taken =
    co_await bridge::ask<bool>(port_, session_, handover_max, msg::received_atom::value, std::move(sent), only_stream);
  co_return std::move(taken.error);
}

asio::awaitable<msg::outcome<msg::document>> session_client::call_tool(std::string tool, json::object arguments,
                                                                       std::chrono::milliseconds patience) {
  json::object who{{"name", name_}, {"version", CODE_EXECUTOR_VERSION}};
  json::object params{{"protocolVersion", mcp::name_of(mcp::latest_revision)},
                      {"capabilities", json::object{}},
                      {"clientInfo", std::move(who)}};
  json::object hello{{"id", call_id - 1}, {"method", "initialize"}, {"params", std::move(params)}};
  json::object ready{{"method", "notifications/initialized"}};
  json::object what{{"name", std::move(tool)}, {"arguments", std::move(arguments)}};
  json::object call{{"id", call_id}, {"method", "tools/call"}, {"params", std::move(what)}};
  for (auto* message : {&hello, &ready, &call}) {
    auto refused = co_await tell(std::move(*message));
    if (refused.code != errc::none)
      co_return std::move(refused);
  }
  answered_.expires_after(patience);
  while (!answer_ && answered_.expiry() > asio::steady_timer::clock_type::now())
    co_await answered_.async_wait(process::no_throw);
  if (!answer_)
    co_return fault{errc::internal, "it was not answered within " + std::to_string(patience.count() / 1'000) + " s"};
  co_return std::move(*answer_);
}

} // namespace cli
