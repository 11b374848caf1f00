#include "mcp/relay/server_end.hpp"

#include "mcp/fields.hpp"
#include "mcp/salvaged_id.hpp"
#include "text/json_text.hpp"

#include <boost/json/array.hpp>

#include <utility>

namespace mcp::relay {

namespace json = boost::json;
using msg::errc;
using msg::fault;

namespace {

own_request opening_request(server_request number, std::string_view method, const introduction& who) {
  auto id = static_cast<int64_t>(number);
  if (method == "initialize")
    return make_own_request(latest_revision, id, method, handshake_params(who));
  json::object params{{"_meta", modern_meta(who)}};
  return {make_request(number, method, msg::document{json::value(std::move(params))}), {std::string{method}}};
}

} // namespace

msg::document unanswered(server_request number, const std::string& why) {
  json::object error{{"code", rpc_error::internal_error}, {"message", why}};
  return msg::document{json::value(json::object{{"jsonrpc", "2.0"}, {"id", number}, {"error", std::move(error)}})};
}

// ---- the connection --------------------------------------------------------------------------

void server_end::open(std::shared_ptr<connection> by, opening first, introduction who) {
  connection_ = std::move(by);
  who_ = std::move(who);
  serves_ = false;
  discovered_ = initialized_ = hello_ = {};
  opening_ = std::make_unique<client_opening>([this](std::string_view method) { return send_opening(method); });
  has_opened(opening_->start(first));
}

int64_t server_end::send_opening(std::string_view method) {
  auto number = ask([&](server_request n) { return opening_request(n, method, who_); },
                    [this](const message_view& response, const msg::document& message) {
                      boost::system::error_code ec;
                      take_opening(response.id.to_number<server_request>(ec), response, message);
                    });
  return static_cast<int64_t>(number);
}

void server_end::stop_waiting_for_discovery() {
  if (is_opening())
    has_opened(opening_->stop_waiting());
}

void server_end::give_up_handshake(const std::string& why) {
  if (!is_opening())
    return;
  opening_->give_up();
  to_.opened(fault{errc::server_start_failed, what_it_is() + why});
}

void server_end::take_opening(server_request number, const message_view& response, const msg::document& message) {
  auto id = static_cast<int64_t>(number);
  if (!opening_->is_open(id))
    return;
  auto& result = id == opening_->open_discovery() ? discovered_ : initialized_;
  if (response.result)
    result = message.part(*response.result);
  has_opened(opening_->take(id, response, [this](std::string text) { return masked(std::move(text)); }));
}

void server_end::has_opened(client_opening::end how) {
  if (!how || serves_)
    return;
  if (how->what == opening_answer::kind::failed)
    return to_.opened(fault{errc::server_start_failed, what_it_is() + how->problem});
  bool is_legacy = how->what == opening_answer::kind::legacy;
  hello_ = is_legacy ? initialized_ : discovered_;
  auto* result = hello_.value().if_object();
  spoken_ = is_legacy && result ? negotiate(string_or(*result, "protocolVersion")) : revision::r2026_07_28;
  serves_ = true;
  to_.opened({});
}

void server_end::stop() {
  if (connection_)
    connection_->stop();
}

void server_end::kill() {
  if (auto by = std::exchange(connection_, nullptr))
    by->kill();
}

void server_end::closed(const fault& why) {
  auto text = masked(why.message.starts_with(what_it_is()) ? why.message : what_it_is() + why.message);
  if (opening_)
    opening_->give_up();
  connection_ = nullptr;
  serves_ = false;
  for (auto& [number, done] : std::exchange(open_, {})) {
    auto message = unanswered(number, text);
    done(classify(message.value()), message);
  }
}

// ---- what it is ------------------------------------------------------------------------------

const json::object* server_end::capabilities() const { return object_in(hello_.value().if_object(), "capabilities"); }

std::string server_end::masked(std::string text) const {
  return connection_ && !text.empty() ? connection_->masked(std::move(text)) : std::move(text);
}

// ---- to the server ---------------------------------------------------------------------------

server_request server_end::ask(const std::function<own_request(server_request)>& make, answered done) {
  auto number = ++last_;
  auto request = make(number);
  open_.emplace(number, std::move(done)); // first: it may be answered at once
  if (connection_ && connection_->send(std::move(request.text), number, std::move(request.labels)))
    return number;
  open_.erase(number);
  return 0;
}

bool server_end::give_up(server_request number, std::string_view reason) {
  if (open_.erase(number) == 0 || !connection_ || connection_->take_back(number))
    return true;
  json::object params{{"requestId", number}, {"reason", reason}};
  auto request = make_own_notification(spoken_, "notifications/cancelled", json::value(std::move(params)));
  connection_->send(std::move(request.text), 0, std::move(request.labels));
  return false;
}

void server_end::tell(msg::spliced_text notification) {
  if (connection_)
    connection_->send(std::move(notification), 0, {});
}

// ---- from the server -------------------------------------------------------------------------

std::string server_end::receive(const msg::document& message, server_request during) {
  auto* batch = message.value().if_array();
  if (!batch || in_batch_)
    return receive_one(message, during);
  if (!has_batches(spoken_))
    return "sent a batch, which its revision does not have";
  std::string problems;
  in_batch_ = true;
  for (auto& each : *batch)
    if (auto problem = receive_one(message.part(each), during); problems.empty())
      problems = std::move(problem);
  in_batch_ = false;
  return problems;
}

std::string server_end::receive_one(const msg::document& message, server_request during) {
  auto view = classify(message.value());
  switch (view.what) {
    case message_view::kind::request: to_.request(view, message, during); return {};
    case message_view::kind::notification: to_.notification(view, message, during); return {};
    case message_view::kind::response: take_response(view, message); return {};
    case message_view::kind::invalid: break;
  }
  boost::system::error_code ec;
  if (view.method.empty() && view.id.is_number())
    fail(view.id.to_number<server_request>(ec), "sent a broken answer: " + view.problem);
  return "sent what is no message: " + masked(view.problem);
}

void server_end::take_response(const message_view& response, const msg::document& message) {
  boost::system::error_code ec;
  auto number = response.id.is_string() ? 0 : response.id.to_number<server_request>(ec);
  auto found = open_.extract(ec ? 0 : number);
  if (found)
    found.mapped()(response, message);
}

bool server_end::fail_broken(std::string_view line, const std::string& quote) {
  return fail(static_cast<server_request>(salvaged_id(line)), "sent a broken message: " + quote);
}

void server_end::cancelled(const message_view& notification) {
  auto* id = notification.params ? notification.params->if_contains("requestId") : nullptr;
  boost::system::error_code ec;
  auto number = id && id->is_number() ? id->to_number<server_request>(ec) : 0;
  fail(ec ? 0 : number, "has ended the request");
}

bool server_end::fail(server_request number, const std::string& why) {
  auto found = open_.extract(number);
  if (!found)
    return false;
  auto message = unanswered(number, masked(what_it_is() + why));
  found.mapped()(classify(message.value()), message);
  return true;
}

} // namespace mcp::relay
