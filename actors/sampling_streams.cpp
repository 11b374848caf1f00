// Answers that a program takes piece by piece: what came waits for it, filtered, until it asks.
#include "actors/sampling_session.hpp"
#include "content_filter/filter.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <caf/all.hpp>

#include <utility>

namespace actors {

namespace json = boost::json;
using msg::errc;
using msg::fault;
using document_outcome = msg::outcome<msg::document>;

void sampling_session_state::received(uint64_t number, const std::string& text) {
  auto q = find(number);
  if (!q || q->is_over)
    return;
  q->received += text;
  auto given = q->filter ? q->filter->feed(text) : content_filter::filtered_piece{text, {}};
  if (!given.ok()) {
    fault why{errc::not_allowed, content_filter::refusal(*given.blocked)};
    std::exchange(q->give_up, nullptr)();
    account(*q, why);
    return fail(number, std::move(why));
  }
  q->streamed += given.text;
  q->text += given.text;
  give_piece(number);
}

caf::result<document_outcome> sampling_session_state::next(uint64_t number) {
  auto q = find(number);
  if (!q || !q->request.stream || q->promise.pending())
    return document_outcome{fault{errc::invalid_argument, !q || !q->request.stream ? "llm: there is no such stream, or it has ended"
                                                                                   : "llm: the next piece of this stream is asked for already"}};
  q->promise = self_->make_response_promise<document_outcome>();
  auto promise = q->promise;
  give_piece(number);
  return promise;
}

/// To whoever waits for it: all text that is there, or the end.
void sampling_session_state::give_piece(uint64_t number) {
  auto q = find(number);
  if (!q->promise.pending() || (q->text.empty() && !q->is_over))
    return;
  auto promise = std::exchange(q->promise, {});
  bool is_done = q->is_over && (q->failure.code == errc::none || q->text.empty());
  if (is_done)
    open_.erase(number);
  if (is_done && q->failure.code != errc::none)
    promise.deliver(document_outcome{std::move(q->failure)});
  else
    promise.deliver(document_outcome{msg::document{json::object{{"text", std::exchange(q->text, {})}, {"done", is_done}}}});
}

void sampling_session_state::leave(uint64_t number) {
  auto q = find(number);
  if (!q || !q->request.stream)
    return;
  open_.erase(number);
  if (q->promise.pending())
    q->promise.deliver(document_outcome{fault{errc::cancelled, "llm: the program has left this stream"}});
  if (q->give_up) {
    std::exchange(q->give_up, nullptr)();
    account(*q, fault{errc::cancelled, "the program has left the stream"});
  }
  take_waiting();
}

} // namespace actors
