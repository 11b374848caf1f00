#include "answering.hpp"

#include <asio/post.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace http {

namespace {

class exchange_handle final : public exchange {
public:
  explicit exchange_handle(std::shared_ptr<answering> answer) : answer_(std::move(answer)) {}
  ~exchange_handle() override { answer_->drop(); }
  void answer(response whole) override { answer_->answer(std::move(whole)); }
  void begin(response head) override { answer_->begin(std::move(head)); }
  void write(std::string piece) override { answer_->write(std::move(piece)); }
  void end() override { answer_->end(); }
  void abort() override { answer_->abort(); }
  size_t unsent_bytes() const override { return answer_->unsent_bytes(); }
  void when_gone(std::function<void()> gone) override { answer_->when_gone(std::move(gone)); }
  void when_sent(std::function<void()> sent) override { answer_->when_sent(std::move(sent)); }

private:
  std::shared_ptr<answering> answer_;
};

} // namespace

std::shared_ptr<exchange> make_exchange(std::shared_ptr<answering> answer) {
  return std::make_shared<exchange_handle>(std::move(answer));
}

void answering::answer(response whole) {
  if (stage_ != stage::waiting)
    return;
  start(whole, body_end::length, whole.body.size());
  add(std::move(whole.body));
  stage_ = stage::ended;
  pump();
}

void answering::begin(response head) {
  if (stage_ != stage::waiting)
    return;
  start(head, form_.has_chunks ? body_end::chunks : body_end::close, 0);
  add(std::move(head.body));
  pump();
}

void answering::write(std::string piece) {
  if (stage_ != stage::begun)
    return;
  add(std::move(piece));
  pump();
}

void answering::end() {
  if (stage_ != stage::begun)
    return;
  stage_ = stage::ended;
  pump();
}

void answering::start(const response& answer, body_end end, uint64_t length) {
  stage_ = stage::begun;
  end_ = end;
  has_body_ = form_.has_body && !is_bodiless(answer.status);
  auto connection = connection_.lock();
  if (end == body_end::close || !connection || connection->is_finishing())
    form_.stays_open = false;
  head_ = head_text(answer, end, length, form_.stays_open ? afterwards::keep : afterwards::close);
}

void answering::add(std::string piece) {
  if (!has_body_ || piece.empty())
    return;
  unsent_bytes_ += piece.size();
  pieces_.push_back(std::move(piece));
}

/// Up to sent_bytes_max of the pieces, with what is around them.
std::string answering::next_bytes() {
  std::string body;
  while (!pieces_.empty() && body.size() < sent_bytes_max) {
    auto& front = pieces_.front();
    auto count = std::min(front.size() - front_sent_bytes_, sent_bytes_max - body.size());
    body.append(front, front_sent_bytes_, count);
    front_sent_bytes_ += count;
    if (front_sent_bytes_ < front.size())
      break;
    pieces_.pop_front();
    front_sent_bytes_ = 0;
  }
  return body;
}

void answering::pump() {
  if (on_its_way_ || is_over() || (pieces_.empty() && head_.empty() && stage_ != stage::ended))
    return;
  auto body = next_bytes();
  auto count = body.size();
  auto is_last = stage_ == stage::ended && pieces_.empty();
  auto bytes = std::exchange(head_, {});
  if (end_ == body_end::chunks && has_body_) {
    if (count > 0)
      bytes += fmt::format("{:x}\r\n", count) + body + "\r\n";
    if (is_last)
      bytes += "0\r\n\r\n";
  } else {
    bytes += body;
  }
  auto which = outlet::part::middle;
  if (is_last) {
    auto connection = connection_.lock();
    auto stays = form_.stays_open && connection && !connection->is_finishing();
    which = stays ? outlet::part::last : outlet::part::last_of_all;
  }
  on_its_way_ = true;
  out_->send(std::move(bytes), which, [self = shared_from_this(), count, is_last](outlet::outcome how) {
    self->on_its_way_ = false;
    if (is_last && how == outlet::outcome::taken && !self->is_over())
      self->stage_ = stage::sent;
    self->went(how, count);
  });
}

void answering::went(outlet::outcome how, size_t count) {
  if (how == outlet::outcome::lost)
    return lose();
  unsent_bytes_ -= std::min(count, unsent_bytes_);
  if (stage_ != stage::sent)
    return pump();
  out_ = nullptr;
  gone_ = nullptr;
  tell(sent_);
}

void answering::abort() {
  if (is_over())
    return;
  stage_ = stage::aborted;
  unsent_bytes_ = 0;
  pieces_.clear();
  gone_ = nullptr;
  sent_ = nullptr;
  if (auto connection = connection_.lock())
    connection->abort();
  // RESTinio's connection may be the caller.
  asio::post(loop_, [out = std::shared_ptr<outlet>{std::move(out_)}] {});
}

void answering::lose() {
  if (is_over())
    return;
  stage_ = stage::gone;
  unsent_bytes_ = 0;
  pieces_.clear();
  sent_ = nullptr;
  // RESTinio's connection may be the caller.
  asio::post(loop_, [out = std::shared_ptr<outlet>{std::move(out_)}] {});
  tell(gone_);
}

void answering::when_gone(std::function<void()> gone) {
  if (stage_ == stage::sent || stage_ == stage::aborted)
    return;
  gone_ = std::move(gone);
  if (stage_ == stage::gone)
    tell(gone_);
}

void answering::when_sent(std::function<void()> sent) {
  if (stage_ == stage::gone || stage_ == stage::aborted)
    return;
  sent_ = std::move(sent);
  if (stage_ == stage::sent)
    tell(sent_);
}

/// From the loop. Until then the exchange may be dropped, and nobody is told.
void answering::tell(std::function<void()>& whom) {
  if (!whom)
    return;
  asio::post(loop_, [self = shared_from_this(), &whom] {
    if (auto call = std::exchange(whom, nullptr))
      call();
  });
}

void answering::drop() {
  gone_ = nullptr;
  sent_ = nullptr;
  if (stage_ == stage::waiting)
    answer(plain_answer(500, "the request was not answered"));
  else if (stage_ == stage::begun)
    abort();
}

} // namespace http
