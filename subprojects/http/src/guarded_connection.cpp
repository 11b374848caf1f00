#include "guarded_connection.hpp"

#include "farewell.hpp"

#include <asio/post.hpp>

#include <utility>

namespace http {

namespace {

/// A request, as RESTinio is told of it.
constexpr std::string_view token = "GET / HTTP/1.1\r\n\r\n";
constexpr std::string_view go_on = "HTTP/1.1 100 Continue\r\n\r\n";

} // namespace

guarded_connection::guarded_connection(std::shared_ptr<wire> line, std::unique_ptr<gate> door, connection_times times,
                                       std::shared_ptr<void> place, std::function<std::shared_ptr<void>()> leave)
  : wire_(std::move(line)),
    gate_(std::move(door)),
    times_(times),
    place_(std::move(place)),
    leave_(std::move(leave)),
    limit_(wire_->get_executor()),
    stall_(wire_->get_executor()),
    turn_(wire_->get_executor()) {}

void guarded_connection::read(asio::mutable_buffer to, handler then) {
  awaited_ = true;
  read_to_ = to;
  turn_.expires_at(asio::steady_timer::time_point::max());
  // What it holds is RESTinio's connection, which holds this.
  turn_.async_wait([this, then = std::move(then)](asio::error_code) { then(read_failed_, read_bytes_); });
  if (!open_)
    return end_read(asio::error::eof, 0);
  read_on();
  advance();
}

void guarded_connection::end_read(asio::error_code failed, size_t count) {
  if (!awaited_)
    return;
  awaited_ = false;
  read_failed_ = failed;
  read_bytes_ = count;
  turn_.cancel();
}

void guarded_connection::read_on() {
  if (reading_ || !open_ || input_.size() >= read_ahead_bytes_max)
    return;
  reading_ = true;
  wire_->read_some(asio::buffer(buffer_), [self = shared_from_this()](asio::error_code failed, size_t count) {
    self->reading_ = false;
    if (!self->open_)
      return;
    if (failed)
      return failed == not_understood() ? self->close() : self->lose();
    self->input_.append(self->buffer_.data(), count);
    self->advance();
    self->read_on();
  });
}

void guarded_connection::advance() {
  if (busy_ || !awaited_ || !open_)
    return;
  if (!wire_->is_ready())
    return enter(phase::handshake);
  input_.erase(0, gate_->take(input_));
  switch (gate_->at()) {
    case gate::place::idle: return enter(phase::idle);
    case gate::place::head: return enter(phase::head);
    case gate::place::body: offer_continue(); return enter(phase::body);
    case gate::place::complete: return hand_over();
    case gate::place::refused: return refuse(gate_->take_refusal());
  }
}

void guarded_connection::hand_over() {
  enter(phase::none);
  busy_ = true;
  has_asked_ = true;
  end_read({}, asio::buffer_copy(read_to_, asio::buffer(token)));
}

/// If the system does not take it at once, the client sends the body a little later on its own.
void guarded_connection::offer_continue() {
  if (gate_->owes_continue())
    wire_->write_now(go_on);
}

void guarded_connection::answered() {
  gone_ = nullptr;
  busy_ = false;
  asio::post(get_executor(), [self = shared_from_this()] {
    self->advance();
    self->read_on();
  });
}

std::chrono::milliseconds guarded_connection::time_of(phase which) const {
  switch (which) {
    case phase::idle: return has_asked_ ? times_.idle_max : times_.head_max;
    case phase::body: return times_.body_max;
    default: return times_.head_max;
  }
}

void guarded_connection::enter(phase next) {
  if (phase_ == next)
    return;
  phase_ = next;
  limit_.cancel();
  if (next == phase::none)
    return;
  limit_.expires_after(time_of(next));
  limit_.async_wait([self = weak_from_this(), next](asio::error_code stopped) {
    auto connection = self.lock();
    if (!stopped && connection && connection->open_)
      connection->late(next);
  });
}

void guarded_connection::late(phase in) {
  // Another phase may have begun while this was on its way.
  if (phase_ != in || asio::steady_timer::clock_type::now() < limit_.expiry())
    return;
  if (in == phase::idle || in == phase::handshake)
    return lose();
  refuse(plain_answer(408, in == phase::head ? "the head of the request took too long"
                                             : "the body of the request took too long"));
}

void guarded_connection::write(const buffers& from, handler then) {
  if (!open_) {
    asio::post(get_executor(), [then = std::move(then)] { then(asio::error::broken_pipe, 0); });
    return;
  }
  writing_ = true;
  watch_progress();
  wire_->write_some(from, [self = shared_from_this(), then = std::move(then)](asio::error_code failed, size_t count) {
    self->writing_ = false;
    self->stall_.cancel();
    if (failed)
      self->lose();
    // RESTinio takes an aborted one for its own doing, and would wait.
    then(failed == asio::error::operation_aborted ? asio::error::broken_pipe : failed, count);
  });
}

void guarded_connection::watch_progress() {
  stall_.expires_after(times_.stall_max);
  stall_.async_wait([self = weak_from_this()](asio::error_code stopped) {
    auto connection = self.lock();
    if (stopped || !connection || !connection->writing_
        || asio::steady_timer::clock_type::now() < connection->stall_.expiry())
      return;
    connection->lose();
  });
}

void guarded_connection::refuse(const response& answer) { part(last_answer_text(answer)); }

void guarded_connection::part(std::string_view last_words) {
  open_ = false;
  enter(phase::none);
  if (auto place = leave_()) {
    farewell::say(*wire_, last_words, std::move(place));
  } else {
    wire_->write_now(last_words);
    wire_->close();
  }
  place_ = nullptr;
  end_read(asio::error::eof, 0);
}

void guarded_connection::close() {
  if (!open_)
    return;
  if (gone_)
    return lose();
  part({});
}

void guarded_connection::finish() {
  finishing_ = true;
  if (open_ && !busy_ && gate_->at() == gate::place::idle && input_.empty())
    lose();
}

void guarded_connection::lose() {
  if (!open_)
    return;
  drop_wire();
  if (auto gone = std::exchange(gone_, nullptr))
    gone();
  end_read(asio::error::eof, 0);
}

void guarded_connection::abort() {
  gone_ = nullptr;
  if (!open_)
    return;
  drop_wire();
  end_read(asio::error::eof, 0);
}

void guarded_connection::drop_wire() {
  open_ = false;
  enter(phase::none);
  // What the system still holds is dropped: it would keep the memory for a client that does not read, and a body whose
  // end is that of the connection would look complete.
  if (busy_)
    wire_->reset();
  else
    wire_->close();
  place_ = nullptr;
}

} // namespace http
