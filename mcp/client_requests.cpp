#include "mcp/client_requests.hpp"

#include "mcp/fields.hpp"
#include "text/json_beginning.hpp"
#include "text/json_text.hpp"
#include "text/utf8.hpp"

#include <charconv>

namespace mcp {

namespace json = boost::json;

namespace {

constexpr size_t error_bytes_max = 500;

msg::fault fault_of(const json::value& error) {
  auto* o = error.if_object();
  auto* message = o ? o->if_contains("message") : nullptr;
  auto* code = o ? o->if_contains("code") : nullptr;
  auto text = message && message->is_string() ? text::quoted(message->get_string(), error_bytes_max)
                                              : text::quoted_json(error, error_bytes_max);
  return {msg::errc::model_failed,
          text + (code && code->is_int64() ? " (code " + std::to_string(code->get_int64()) + ")" : "")};
}

} // namespace

msg::client_abilities read_abilities(const json::value* capabilities) {
  msg::client_abilities out;
  auto* all = capabilities ? capabilities->if_object() : nullptr;
  auto* sampling = object_in(all, "sampling");
  out.samples = sampling != nullptr;
  out.samples_with_tools = object_in(sampling, "tools") != nullptr;
  auto* elicitation = object_in(all, "elicitation");
  out.opens_urls = object_in(elicitation, "url") != nullptr;
  out.fills_forms =
    elicitation && (object_in(elicitation, "form") || !out.opens_urls); // {} means forms, as before there were urls
  out.has_roots = object_in(all, "roots") != nullptr;
  return out;
}

uint64_t client_requests::ask(std::string_view method, const msg::document& params, stream_number stream,
                              answered done) {
  auto told = [done = std::move(done)](const message_view* response, const msg::document& message,
                                       const std::string& problem) {
    if (!response)
      done(msg::fault{msg::errc::protocol_violation, problem});
    else if (response->error)
      done(fault_of(*response->error));
    else
      done(message.part(*response->result));
  };
  return relay(method, params, stream, std::move(told));
}

uint64_t client_requests::relay(std::string_view method, const msg::document& params, stream_number stream,
                                replied done) {
  if (open_.size() >= requests_to_client_max || params.text_bytes() > room_())
    return 0;
  auto number = ++last_number_;
  open_.emplace(number, question{stream, std::move(done)});
  send_({make_request(number, method, params), stream, outgoing::kind::request});
  return number;
}

void client_requests::cancel(uint64_t number, std::string_view reason) {
  if (auto asked = open_.extract(number))
    send_({make_notification("notifications/cancelled", json::object{{"requestId", number}, {"reason", reason}}),
           asked.mapped().stream, outgoing::kind::notification});
}

void client_requests::receive(const msg::document& message, const message_view& response) {
  if (response.id.is_string()) { // else it would be waited for until its time is over
    fail(response.id, "its id is a text, and not the number that the request had");
    return;
  }
  if (auto waiting = take(response.id))
    waiting(&response, message, {});
}

bool client_requests::fail(const json::value& id, const std::string& problem) {
  auto waiting = take(id);
  if (waiting)
    waiting(nullptr, {}, problem);
  return waiting != nullptr;
}

/// Null: no run waits for that number, or text of one.
client_requests::replied client_requests::take(const json::value& id) {
  uint64_t number = 0; // of none
  boost::system::error_code ec;
  if (auto* text = id.if_string())
    std::from_chars(text->data(), text->data() + text->size(), number);
  else
    number = id.to_number<uint64_t>(ec);
  auto found = ec ? decltype(open_)::node_type{} : open_.extract(number);
  return found ? std::move(found.mapped().done) : nullptr;
}

} // namespace mcp
