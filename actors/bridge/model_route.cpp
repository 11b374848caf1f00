#include "actors/bridge/model_route.hpp"

#include "sampling/faults.hpp"
#include "sampling/stream_reader.hpp"

#include <asio/steady_timer.hpp>

#include <algorithm>
#include <optional>
#include <random>
#include <utility>

namespace bridge {

using std::chrono::milliseconds;
using answer_outcome = msg::outcome<msg::model_answer>;

namespace {

constexpr uint16_t status_ok = 200;
constexpr milliseconds connect_max{10'000};

sampling::transport transport_of(const http::client_result& result) {
  using http::client_failure;
  using sampling::transport;
  switch (result.failure) {
    case client_failure::none: return transport::answered;
    case client_failure::resolve:
    case client_failure::connect: return transport::not_connected;
    case client_failure::tls: return transport::not_trusted;
    case client_failure::timeout_first_byte:
    case client_failure::timeout: return transport::timed_out;
    case client_failure::cut: return result.status == 0 ? transport::lost_early : transport::lost;
    case client_failure::too_large:
    case client_failure::cancelled:
    case client_failure::other: return transport::failed;
  }
  return transport::failed;
}

/// One question, with all its tries. Lives as long as its request or its pause.
class asking : public std::enable_shared_from_this<asking> {
public:
  asking(const asio::any_io_executor& executor, std::shared_ptr<http::client> client, const provider_access& access,
         msg::model_request request, sampling::model_listener listener, uint64_t seed)
    : client_(std::move(client)),
      access_(access),
      request_(std::move(request)),
      listener_(std::move(listener)),
      pause_(executor),
      retries_(access.retries, seed),
      deadline_(std::chrono::steady_clock::now() + access.timeout) {}

  void start() {
    auto question = sampling::question_for(access_.who, access_.base_url, access_.key, request_);
    http::client_request to_send;
    to_send.method = "POST";
    to_send.url = std::move(question.url);
    for (auto& [name, value] : question.headers)
      to_send.fields.push_back({std::move(name), std::move(value)});
    to_send.body = std::move(question.body);
    to_send.total_timeout = std::max(time_left(), milliseconds{1});
    to_send.first_byte_timeout = to_send.total_timeout;
    to_send.connect_timeout = std::min(to_send.total_timeout, connect_max);
    reader_.emplace(access_.who);
    error_body_.clear();
    http::client_handlers handlers;
    if (request_.stream) {
      handlers.on_head = [self = shared_from_this()](uint16_t status, const http::headers&) { self->status_ = status; };
      handlers.on_data = [self = shared_from_this()](std::string_view bytes) { self->take(bytes); };
    }
    handlers.on_end = [self = shared_from_this()](http::client_result result) { self->ended(std::move(result)); };
    transfer_ = client_->start(std::move(to_send), std::move(handlers));
  }

  void give_up() {
    is_over_ = true;
    transfer_.cancel();
    pause_.cancel();
  }

private:
  milliseconds time_left() const {
    return std::chrono::duration_cast<milliseconds>(deadline_ - std::chrono::steady_clock::now());
  }

  void take(std::string_view bytes) {
    if (is_over_)
      return;
    if (status_ != status_ok) {
      error_body_ += bytes;
      return;
    }
    auto text = reader_->feed(bytes);
    has_given_ = has_given_ || !text.empty();
    if (!text.empty())
      listener_.text(std::move(text));
  }

  answer_outcome outcome_of(const http::client_result& result) {
    if (request_.stream && result.status == status_ok && (result.ok() || result.failure == http::client_failure::cut))
      return reader_->finish(); // it says best what is missing of a stream that was cut
    if (!result.ok())           // whatever came of a stream was used
      return reader_->failed(
        sampling::transport_fault(access_.who, access_.base_url, transport_of(result), result.message));
    return sampling::answer_of(access_.who, result.status, request_.stream ? error_body_ : result.body);
  }

  void ended(http::client_result result) {
    if (is_over_)
      return;
    auto outcome = outcome_of(result);
    if (outcome.ok() || has_given_)
      return finish(std::move(outcome));
    sampling::attempt tried{transport_of(result), result.status,
                            std::string{http::find_header(result.fields, "retry-after")},
                            std::string{http::find_header(result.fields, "retry-after-ms")}};
    bool never_left = tried.how == sampling::transport::not_connected || tried.how == sampling::transport::not_trusted;
    outcome.value.was_asked = !never_left && outcome.error.code != msg::errc::rate_limited;
    auto next = retries_.after(tried, std::move(outcome.error), time_left(), std::chrono::system_clock::now());
    if (!next.wait) {
      outcome.error = std::move(next.error);
      return finish(std::move(outcome));
    }
    pause_.expires_after(*next.wait);
    pause_.async_wait([self = shared_from_this()](asio::error_code ec) {
      if (!ec && !self->is_over_)
        self->start();
    });
  }

  void finish(answer_outcome outcome) {
    is_over_ = true;
    listener_.end(std::move(outcome));
  }

  std::shared_ptr<http::client> client_;
  provider_access access_;
  msg::model_request request_;
  sampling::model_listener listener_;
  asio::steady_timer pause_;
  sampling::retry_policy retries_;
  std::chrono::steady_clock::time_point deadline_;
  http::client_handle transfer_;
  std::optional<sampling::stream_reader> reader_;
  std::string error_body_;
  uint16_t status_ = 0;
  bool has_given_ = false; ///< text: then nothing is tried again
  bool is_over_ = false;
};

} // namespace

sampling::model_route make_provider_route(const asio::any_io_executor& executor, std::shared_ptr<http::client> client,
                                          provider_access access) {
  sampling::model_route route;
  route.name = sampling::name_of(access.who);
  route.ask = [executor, client = std::move(client), access = std::move(access)](msg::model_request request,
                                                                                 sampling::model_listener listener) {
    auto seed = std::random_device{}(); // runs that failed together are not to come back together
    auto one = std::make_shared<asking>(executor, client, access, std::move(request), std::move(listener), seed);
    one->start();
    return [weak = std::weak_ptr<asking>{one}] {
      if (auto self = weak.lock())
        self->give_up();
    };
  };
  return route;
}

} // namespace bridge
