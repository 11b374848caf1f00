#include "mcp/client_messages.hpp"

#include "mcp/value_size.hpp"
#include "messages/limits.hpp"

#include <boost/json/array.hpp>

#include <string>

namespace mcp {

namespace json = boost::json;
namespace limits = msg::limits;

namespace {

/// It is kept for as long as the client is there, or is looked at with each request.
bool says_too_much_of_itself(const msg::document& message, const message_view& request) {
  if (message.text_bytes() <= introduction_bytes_max || !request.params)
    return false;
  if (request.method == "initialize")
    return true;
  auto* meta = request.params->if_contains("_meta");
  return meta && is_longer_than(introduction_bytes_max, *meta);
}

} // namespace

const std::shared_ptr<const requester>& unknown_requester() {
  static const auto none = std::make_shared<const requester>();
  return none;
}

void client_messages::reject(int32_t code, std::string_view why, const msg::document& told) {
  auto id = classify(told.value()).id;
  auto* fields = told.value().if_object();
  bool is_request = fields && fields->contains("method");
  if (!is_request && questions_.requests().fail(id, std::string{why}))
    return;
  bool is_free = is_request && open_.number_of(id, 0) == 0;
  replies_.answer({}, make_error(is_free ? id : json::value{}, code, why));
}

void client_messages::receive(const msg::document& message, stream_number stream) {
  if (message.value().is_array())
    receive_batch(message, stream);
  else
    receive_one(message, {stream, nullptr});
}

void client_messages::receive_batch(const msg::document& message, stream_number stream) {
  auto& messages = message.value().get_array();
  auto refuse_all = [&](const std::string& why) {
    replies_.answer({stream, nullptr}, make_error({}, rpc_error::invalid_request, "Invalid Request: " + why));
  };
  if (!client_ || !has_batches(client_->spoken))
    return refuse_all("batches are part of revision 2025-03-26 only; send one message per line");
  if (messages.empty() || messages.size() > limits::client_batch_max)
    return refuse_all("a batch holds 1 to " + std::to_string(limits::client_batch_max) + " messages, not "
                      + std::to_string(messages.size()));
  reply_path path{stream, std::make_shared<batch>()};
  path.in->outstanding = 1; // this loop
  for (auto& m : messages)
    receive_one(message.part(m), path);
  replies_.answer(path, msg::spliced_text{});
}

void client_messages::receive_one(const msg::document& message, const reply_path& path) {
  auto view = classify(message.value());
  switch (view.what) {
    case message_view::kind::request:
      if (path.in)
        ++path.in->outstanding;
      if (says_too_much_of_itself(message, view))
        return replies_.answer(path,
                               make_error(view.id, rpc_error::invalid_params,
                                          "Invalid params: what a client says of itself and of what it can do, and "
                                          "'_meta' of a request, has at most "
                                            + std::to_string(introduction_bytes_max >> 10)
                                            + " KiB; large values belong in the arguments"));
      return to_.request({message, view, path, client_ ? client_ : unknown_requester()});
    case message_view::kind::notification:
      return view.method == "notifications/cancelled" ? take_cancellation(view, path.stream)
                                                      : to_.notification(view, message);
    case message_view::kind::response: return questions_.requests().receive(message, view);
    case message_view::kind::invalid:
      if (view.method.empty() && questions_.requests().fail(view.id, view.problem))
        return;
      break;
  }
  if (path.in)
    ++path.in->outstanding;
  replies_.answer(path, make_error(view.id, rpc_error::invalid_request, "Invalid Request: " + view.problem));
}

void client_messages::take_cancellation(const message_view& notification, stream_number stream) {
  auto* id = notification.params ? notification.params->if_contains("requestId") : nullptr;
  auto number = id ? open_.number_of(*id, stream) : 0;
  auto request = questions_.take(number);
  if (!request)
    return;                                            // answered already, or never seen
  replies_.answer(request->path, msg::spliced_text{}); // the rest of its batch does not wait for it
  to_.cancelled(number, *request);
}

void client_messages::cancel_stream(stream_number stream) {
  for (auto number : open_.of_stream(stream))
    if (auto request = questions_.take(number))
      to_.cancelled(number, *request);
}

request_number client_messages::open(const incoming_request& request) {
  auto opened = open_.open(request.view, request.path, request.from);
  if (opened.refused)
    replies_.refuse(request, opened.refused);
  return opened.number;
}

} // namespace mcp
