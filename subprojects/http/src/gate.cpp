#include "gate.hpp"

#include <algorithm>

namespace http {

namespace {

response too_large_body() { return plain_answer(413, "the body of the request is too large"); }

response no_room() {
  auto answer = plain_answer(503, "too much is being sent at once");
  answer.fields.push_back({"Retry-After", "1"});
  return answer;
}

} // namespace

gate::gate(gate_limits limits, std::shared_ptr<body_budget> budget, uint64_t connection, admission admit)
  : limits_(limits),
    budget_(std::move(budget)),
    connection_(connection),
    admit_(std::move(admit)) {}

size_t gate::take(std::string_view bytes) {
  size_t used = 0;
  while (used < bytes.size() && place_ != place::complete && place_ != place::refused)
    used += take_some(bytes.substr(used));
  return used;
}

size_t gate::take_some(std::string_view bytes) {
  switch (place_) {
    case place::idle: return take_idle(bytes);
    case place::head: return take_head(bytes);
    default: return judged_.body == judged_head::framing::length ? take_counted(bytes) : take_chunks(bytes);
  }
}

arrival gate::take_arrival() {
  arrival out{{std::move(judged_.head), std::move(body_), std::move(share_)}, judged_.form};
  judged_ = {};
  body_ = {};
  share_ = nullptr;
  place_ = place::idle;
  return out;
}

response gate::take_refusal() { return std::move(*refusal_); }

bool gate::owes_continue() {
  auto owes = place_ == place::body && judged_.wish == judged_head::continuation::asked;
  judged_.wish = judged_head::continuation::not_asked;
  return owes && body_.empty() && chunks_.framing_bytes() == 0;
}

/// RFC 9112, 2.2: some clients send an empty line behind a body.
size_t gate::take_idle(std::string_view bytes) {
  auto from = std::min(bytes.find_first_not_of("\r\n"), bytes.size());
  if (from < bytes.size()) {
    place_ = place::head;
    reader_ = std::make_unique<head_reader>();
    head_bytes_ = 0;
  }
  return from;
}

size_t gate::take_head(std::string_view bytes) {
  auto used = reader_->take(bytes.substr(0, limits_.head_bytes_max - head_bytes_));
  head_bytes_ += used;
  auto at = reader_->at();
  if (at == head_reader::state::complete)
    end_head();
  else if (at == head_reader::state::broken)
    refuse(plain_answer(400, "this is no request of HTTP/1.1: " + std::string{reader_->problem()}));
  else if (at == head_reader::state::too_large || head_bytes_ >= limits_.head_bytes_max)
    refuse(plain_answer(431, "the head of the request is too large"));
  return used;
}

void gate::end_head() {
  judged_ = judge(reader_->take_head());
  reader_ = nullptr;
  if (judged_.refusal)
    return refuse(std::move(*judged_.refusal));
  judged_.head.connection = connection_;
  if (admit_)
    if (auto answer = admit_(judged_.head))
      return refuse(std::move(*answer));
  share_ = std::make_shared<body_share>(budget_);
  announced_bytes_ = 0;
  chunks_ = {};
  place_ = judged_.body == judged_head::framing::none ? place::complete : place::body;
  if (judged_.body == judged_head::framing::length)
    announce(judged_.body_bytes);
}

void gate::announce(uint64_t bytes) {
  if (bytes > limits_.body_bytes_max - announced_bytes_)
    return refuse(too_large_body());
  announced_bytes_ += bytes;
}

/// Memory is taken as the body comes: what is only announced keeps nobody from sending.
void gate::add(std::string_view part) {
  auto counted = [&](size_t bytes) { return bytes - std::min(bytes, limits_.small_body_bytes); };
  if (!share_->grow(counted(body_.size() + part.size()) - counted(body_.size())))
    return refuse(no_room());
  body_ += part;
}

size_t gate::take_counted(std::string_view bytes) {
  auto part = bytes.substr(0, static_cast<size_t>(judged_.body_bytes) - body_.size());
  add(part);
  if (place_ == place::body && body_.size() == judged_.body_bytes)
    place_ = place::complete;
  return part.size();
}

size_t gate::take_chunks(std::string_view bytes) {
  using kind = chunked_body::step::kind;
  auto step = chunks_.take(bytes);
  switch (step.what) {
    case kind::size: announce(step.announced); break;
    case kind::data: add(bytes.substr(0, step.used)); break;
    case kind::end: place_ = place::complete; break;
    case kind::broken: refuse(plain_answer(400, "the body of the request is not in chunks as it says")); break;
    case kind::framing: break;
  }
  if (chunks_.framing_bytes() > chunk_framing_bytes_max + chunk_framing_factor_max * body_.size()
      && place_ != place::refused)
    refuse(plain_answer(413, "the body of the request has too much around its chunks"));
  return step.used;
}

void gate::refuse(response answer) {
  if (!judged_.form.has_body)
    answer.body.clear();
  refusal_ = std::move(answer);
  place_ = place::refused;
  body_ = {};
  share_ = nullptr;
}

} // namespace http
