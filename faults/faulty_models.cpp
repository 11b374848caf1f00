#include "faults/faulty_models.hpp"

#include "faults/model_answers.hpp"
#include "faults/timer.hpp"

#include <asio/post.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string_view>
#include <system_error>
#include <utility>

namespace faults {

using std::chrono::milliseconds;

namespace {

constexpr uint16_t status_ok = 200;
/// Pieces of a body, as the client gives them.
constexpr size_t piece_bytes = 16u << 10;

std::string type_of(uint16_t status) {
  return status == 429 ? "rate_limit_error" : status == 401 ? "authentication_error" : "api_error";
}

/// One request that is hit. Whoever asked may be gone before it ends, and has cancelled it then.
class faulty_question : public std::enable_shared_from_this<faulty_question> {
public:
  faulty_question(const faulty_model& which, chosen by, model_sender real, http::client_request request,
                  http::client_handlers to)
    : which_(which),
      by_(std::move(by)),
      real_(std::move(real)),
      request_(std::move(request)),
      to_(std::move(to)),
      timer_(which.executor) {}

  void begin() {
    auto delay = std::min(by_.what.delayed_by, request_.total_timeout);
    request_.total_timeout = std::max(request_.total_timeout - delay, milliseconds{1});
    after(delay, [](faulty_question& self) { self.act(); });
  }

  model_exchange exchange() {
    auto self = shared_from_this();
    return {[self] { self->cancel(); },
            [self](bool held) {
              if (self->sent_.hold)
                self->sent_.hold(held);
            }};
  }

private:
  template <class Then>
  void after(milliseconds wait, Then then) {
    if (wait.count() == 0) // a simulation can not tell when a timer that is due at once ends
      return asio::post(which_.executor, [self = shared_from_this(), then] {
        if (!self->is_over_)
          then(*self);
      });
    timer_.expires_after(wait);
    timer_.async_wait([self = shared_from_this(), then](std::error_code cancelled) {
      if (!cancelled && !self->is_over_)
        then(*self);
    });
  }

  void act() {
    auto* rule = by_.what.fault;
    if (!rule)
      return ask(std::move(to_));
    switch (rule->what) {
      case kind::timeout:
        return after(request_.total_timeout,
                     [](faulty_question& self) { self.end(http::client_failure::timeout, "no answer came in time"); });
      case kind::disconnect: return end(http::client_failure::cut, "the connection was closed");
      case kind::error: return answer(static_cast<uint16_t>(rule->code), rule->message);
      case kind::rate_limited: return answer(429, rule->message);
      case kind::unauthorized: return answer(401, rule->message);
      case kind::garbage: return say(status_ok, rule->text);
      case kind::refusal: return say(status_ok, model_refusal(which_.provider, which_.model));
      case kind::nonsense: return say(status_ok, model_answer(which_.provider, which_.model, rule->text));
      case kind::truncate: return ask_and_cut(rule->keep);
      default: return ask(std::move(to_));
    }
  }

  void ask(http::client_handlers to) { sent_ = real_(std::move(request_), std::move(to)); }

  /// Nobody knows how long an answer will be: it is cut when all of it is there.
  void ask_and_cut(double keep) {
    http::client_handlers collecting;
    auto self = shared_from_this();
    collecting.on_head = [self](uint16_t status, const http::headers& fields) {
      if (!self->is_over_ && self->to_.on_head)
        self->to_.on_head(status, fields);
    };
    collecting.on_data = [self](std::string_view bytes) { self->body_.append(bytes); };
    collecting.on_end = [self, keep](http::client_result result) {
      if (result.ok()) {
        self->body_.resize(static_cast<size_t>(double(self->body_.size()) * keep));
        result.failure = http::client_failure::cut;
        result.message = "the connection was closed";
      }
      self->finish(std::move(result));
    };
    ask(std::move(collecting));
  }

  void answer(uint16_t status, std::string_view message) { say(status, model_error(type_of(status), message)); }

  void say(uint16_t status, std::string body) {
    body_ = std::move(body);
    http::client_result result;
    result.status = status;
    result.was_sent = true;
    result.fields = {{"content-type", "application/json"}};
    if (auto wait = by_.what.fault->retry_after; by_.what.fault->what == kind::rate_limited && wait.count() > 0)
      result.fields.push_back({"retry-after-ms", std::to_string(wait.count())});
    if (to_.on_head)
      to_.on_head(status, result.fields);
    finish(std::move(result));
  }

  void end(http::client_failure how, std::string why) {
    http::client_result result;
    result.failure = how;
    result.message = std::move(why);
    result.was_sent = true;
    finish(std::move(result));
  }

  void finish(http::client_result result) {
    auto body = std::string_view{body_};
    for (size_t at = 0; at < body.size() && !is_over_ && to_.on_data; at += piece_bytes)
      to_.on_data(body.substr(at, piece_bytes));
    if (!to_.on_data)
      result.body = std::move(body_);
    auto to = std::exchange(to_, {}); // which hold who has asked
    if (!std::exchange(is_over_, true) && to.on_end)
      to.on_end(std::move(result));
  }

  /// As the client does: nothing but the end comes any more. Nobody waits for that.
  void cancel() {
    timer_.cancel();
    if (sent_.cancel)
      return sent_.cancel();
    is_over_ = true;
    to_ = {};
  }

  faulty_model which_;
  chosen by_;
  model_sender real_;
  http::client_request request_;
  http::client_handlers to_;
  delay_timer timer_;
  model_exchange sent_; ///< to the provider itself; empty: it is not asked, or not yet
  std::string body_;
  bool is_over_ = false;
};

} // namespace

model_sender with_faults(faulty_model which, model_sender real) {
  return [which = std::move(which), real = std::move(real)](http::client_request request, http::client_handlers to) {
    auto by = which.faults->choose_model(which.provider, which.model);
    if (!by.what.is_hit())
      return real(std::move(request), std::move(to));
    auto one = std::make_shared<faulty_question>(which, std::move(by), real, std::move(request), std::move(to));
    one->begin();
    return one->exchange();
  };
}

} // namespace faults
