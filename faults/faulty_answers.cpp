#include "faults/faulty_answers.hpp"

#include "faults/answers.hpp"
#include "mcp/decorated_connection.hpp"
#include "mcp/fields.hpp"
#include "messages/limits.hpp"
#include "process/no_throw.hpp"
#include "process/offload.hpp"

#include <asio/co_spawn.hpp>
#include <asio/use_awaitable.hpp>

#include <algorithm>
#include <exception>

namespace faults {

using asio::awaitable;
using std::chrono::milliseconds;

namespace {

/// How long an answer takes besides.
milliseconds wait_of(const chosen& by, const msg::document& message) {
  auto wait = by.what.delayed_by;
  if (by.what.delay && by.what.delay->what == kind::slow_stream)
    wait = std::min(delay_max, milliseconds{message.text_bytes() * 1'000 / by.what.delay->bytes_per_second});
  return by.what.fault && by.what.fault->what == kind::reorder ? std::max(wait, by.what.fault->lasts) : wait;
}

} // namespace

mcp::connection_events faulty_answers::events() {
  auto self = shared_from_this();
  auto to = line_->events;
  to.received = [self](msg::document message, uint64_t during) { return self->hear(std::move(message), during); };
  to.closed = [self](msg::fault why) { self->end(std::move(why)); };
  return to;
}

void faulty_answers::watch(uint64_t key, chosen hit, pages list) {
  watched_[key] = {std::move(hit), list};
  if (watched_.size() > watched_max) // most of them were given up, and are never answered
    watched_.erase(watched_.begin());
}

void faulty_answers::note_call(uint64_t key) {
  calls_.insert(key);
  if (calls_.size() > watched_max)
    calls_.erase(calls_.begin());
}

/// Not from within a call of the reader.
void faulty_answers::say(chosen by, msg::document message) {
  spawn(say_later(shared_from_this(), std::move(by), std::move(message)));
}

awaitable<void> faulty_answers::hear(msg::document message, uint64_t during) {
  return line_->hangs ? hear_after_hang(shared_from_this(), std::move(message), during)
                      : hear_now(std::move(message), during);
}

/// The reader waits, and reads nothing more.
awaitable<void> faulty_answers::hear_after_hang([[maybe_unused]] std::shared_ptr<faulty_answers> self,
                                                msg::document message, uint64_t during) {
  while (line_->hangs)
    co_await line_->hang.async_wait(process::no_throw);
  auto heard = hear_now(std::move(message), during);
  co_await std::move(heard);
}

/// What is not hit lets those go on that come after the next answer.
awaitable<void> faulty_answers::hear_now(msg::document message, uint64_t during) {
  auto id = (watched_.empty() && calls_.empty()) || line_->is_cut ? 0 : mcp::answered_by(message);
  bool is_of_call = calls_.erase(id) > 0;
  auto found = id == 0 ? decltype(watched_)::node_type{} : watched_.extract(id);
  if (found || line_->is_cut)
    return answer(shared_from_this(), found ? std::move(found.mapped()) : watched{}, std::move(message), during);
  if (is_of_call)
    next_answer_.cancel();
  line_->trace_end(message);
  return line_->events.received(std::move(message), during);
}

awaitable<void> faulty_answers::answer([[maybe_unused]] std::shared_ptr<faulty_answers> self, watched by,
                                       msg::document message, uint64_t during) {
  if (by.list == pages::changed)
    message = line_->server.faults->tools_of(line_->server.name).page(message);
  auto wait = wait_of(by.hit, message);
  if (wait.count() > 0 && delayed_bytes_ + message.held_bytes() <= delayed_bytes_max) {
    spawn(answer_later(shared_from_this(), std::move(by.hit), std::move(message), during, wait));
    co_return;
  }
  auto told = deliver(std::move(by.hit), std::move(message), during);
  co_await std::move(told);
}

awaitable<void> faulty_answers::answer_later([[maybe_unused]] std::shared_ptr<faulty_answers> self, chosen by,
                                             msg::document message, uint64_t during, milliseconds wait) {
  auto bytes = message.held_bytes();
  delayed_bytes_ += bytes;
  delay_timer timer{line_->server.executor, wait};
  bool is_reordered = by.what.fault && by.what.fault->what == kind::reorder;
  auto& until = is_reordered ? next_answer_ : timer;
  if (is_reordered)
    next_answer_.expires_after(wait);
  co_await until.async_wait(process::no_throw);
  delayed_bytes_ -= bytes;
  auto told = deliver(std::move(by), std::move(message), during);
  co_await std::move(told);
}

/// What is left of an answer when its fault has happened.
awaitable<void> faulty_answers::deliver(chosen by, msg::document message, uint64_t during) {
  auto* rule = by.what.fault;
  auto id = mcp::answered_by(message);
  if (!is_said(id))
    co_return;
  switch (rule ? rule->what : kind::latency) {
    case kind::timeout:
    case kind::drop: line_->note(by, id, {}); co_return;
    case kind::disconnect:
    case kind::crash:
      line_->note(by, id, {});
      line_->cut();
      co_return;
    case kind::error:
    case kind::rate_limited:
    case kind::unauthorized: message = refusal(id, *rule); break;
    case kind::duplicate:
      if (rule->which == part::answer) {
        auto first = line_->events.received(message, during);
        co_await std::move(first);
      }
      break;
    default: break;
  }
  auto making = changed(by, std::move(message));
  auto made = co_await std::move(making);
  if (!is_said(id))
    co_return;
  if (rule && rule->what == kind::injection && mcp::object_in(made.message.value().if_object(), "result"))
    line_->trace_canary(*rule, id);
  auto told = tell(by, id, std::move(made), during);
  co_await std::move(told);
}

/// What is large is changed on another thread. What there is no memory for goes on as it is.
awaitable<changed_answer> faulty_answers::changed(const chosen& by, msg::document message) {
  if (!by.what.fault)
    co_return changed_answer{std::move(message)};
  auto work = [by, message] { return msg::outcome<changed_answer>{change(message, *by.what.fault)}; };
  if (!line_->server.worker || message.text_bytes() <= msg::limits::json_inline_bytes_max)
    co_return work().value;
  auto made = co_await process::offload(line_->server.worker, std::move(work));
  if (!made.ok())
    co_return changed_answer{std::move(message)};
  co_return std::move(made.value);
}

awaitable<void> faulty_answers::tell(const chosen& by, uint64_t id, changed_answer made, uint64_t during) {
  line_->note(by, id, made.line ? msg::document{boost::json::value(*made.line)} : made.message);
  line_->trace_end(made.message);
  return made.line ? line_->events.non_protocol_line(std::move(*made.line))
                   : line_->events.received(std::move(made.message), during);
}

awaitable<void> faulty_answers::say_later([[maybe_unused]] std::shared_ptr<faulty_answers> self, chosen by,
                                          msg::document message) {
  delay_timer timer{line_->server.executor, by.what.delayed_by};
  co_await timer.async_wait(process::no_throw);
  if (line_->is_over || line_->is_cut)
    co_return;
  line_->note(by, mcp::answered_by(message), message);
  line_->trace_end(message);
  auto told = line_->events.received(std::move(message), 0);
  co_await std::move(told);
}

/// What cannot be told any more ends the connection: else its calls would wait for ever.
void faulty_answers::spawn(awaitable<void> what) {
  asio::co_spawn(line_->server.executor, std::move(what), [self = shared_from_this()](std::exception_ptr failed) {
    if (failed && !self->line_->is_over)
      self->line_->cut();
  });
}

void faulty_answers::end(msg::fault why) {
  if (std::exchange(line_->is_over, true))
    return;
  watched_.clear();
  next_answer_.cancel();
  line_->hang.cancel();
  line_->events.closed(line_->is_cut ? msg::fault{msg::errc::server_died, "has closed the connection"}
                                     : std::move(why));
}

} // namespace faults
