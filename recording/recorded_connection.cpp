#include "mcp/decorated_connection.hpp"
#include "mcp/fields.hpp"
#include "recording/connections.hpp"

#include <asio/awaitable.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <utility>

namespace recording {

namespace json = boost::json;

namespace {

using clock = std::chrono::steady_clock;

double milliseconds_since(clock::time_point then) {
  return double(std::chrono::duration_cast<std::chrono::microseconds>(clock::now() - then).count()) / 1'000;
}

/// 0: there is none.
uint64_t number_in(const json::object& object, std::string_view key) {
  auto* value = object.if_contains(key);
  json::error_code ec;
  auto number = value && value->is_number() ? value->to_number<uint64_t>(ec) : 0;
  return ec ? 0 : number;
}

/// A message that has more is looked at elsewhere. No cancellation has so much.
constexpr size_t looked_at_bytes_max = size_t{16} << 10;

struct recorded_server {
  std::string name;
  msg::spelling numbers; ///< of what it says
};

/// What has been asked and not answered; lives until the connection beneath has ended. Only what is small is looked at
/// here: texts become lines on the line of the recorder.
class log_of_connection {
public:
  log_of_connection(recorded_server server, std::shared_ptr<recorder> to)
    : server_(std::move(server)),
      to_(std::move(to)) {}

  void use(std::weak_ptr<mcp::connection> inner) {
    inner_ = std::move(inner);
    mask_ = mask();
  }

  void asked(const msg::spliced_text& message, uint64_t key) {
    bool is_small = message.text_bytes() <= looked_at_bytes_max;
    auto parsed = is_small ? msg::document::parse(message.text()) : msg::outcome<msg::document>{};
    if (key == 0)
      return given_up(parsed.value);
    if (open_.size() >= open_max)
      return;
    if (auto* object = parsed.value.value().if_object(); is_small && !is_of(object, key))
      return; // the second copy of one that is doubled on purpose
    open_.insert_or_assign(key, asked_now{message, clock::now()});
  }

  /// What is open from now on was left by us.
  void stopping() { is_stopping_ = true; }

  void taken_back(uint64_t key) { open_.erase(key); }

  using receiver = std::function<asio::awaitable<void>(msg::document, uint64_t)>;
  /// A server that is faster than the disk waits.
  asio::awaitable<void> heard_in_turn([[maybe_unused]] std::shared_ptr<log_of_connection> self, receiver then,
                                      msg::document message, uint64_t during) {
    if (message.held_bytes() > looked_at_bytes_max) {
      auto room = to_->room_for(message.held_bytes());
      co_await std::move(room);
    }
    heard(message);
    auto told = then(std::move(message), during);
    co_await std::move(told);
  }

  void heard(const msg::document& message) {
    auto* object = message.value().if_object();
    if (!object)
      return;
    if (auto asked = open_.extract(mcp::answered_by(message))) {
      write(asked.key(), asked.mapped(), message, {});
    } else if (object->contains("method")) {
      to_->write(message.held_bytes(), [server = server_, message, mask = mask()] {
        return notification_line(server.name, message, mask, server.numbers);
      });
    }
  }

  /// What is open has no answer: it died with the server, or never had one.
  void ended(const msg::fault& why) {
    for (auto& [key, asked] : open_)
      write(key, asked, {}, is_stopping_ ? std::string{} : why.message);
    open_.clear();
  }

private:
  struct asked_now {
    msg::spliced_text request;
    clock::time_point at;
  };

  static bool is_of(const json::object* request, uint64_t key) { return request && number_in(*request, "id") == key; }

  /// Nobody waits any more for what a notification names: it has never been answered.
  void given_up(const msg::document& notification) {
    auto* object = notification.value().if_object();
    auto* params = mcp::object_in(object, "params");
    if (mcp::string_in(object, "method") != "notifications/cancelled" || !params)
      return;
    if (auto asked = open_.extract(number_in(*params, "requestId")))
      write(asked.key(), asked.mapped(), {}, {});
  }

  void write(uint64_t key, const asked_now& asked, const msg::document& answer, const std::string& lost) {
    ended_exchange what;
    what.milliseconds = milliseconds_since(asked.at);
    what.answer = answer;
    what.lost = lost;
    what.numbers = server_.numbers;
    auto line = [what = std::move(what), request = asked.request, name = server_.name, key, mask = mask(),
                 salt = to_->salt()]() mutable {
      auto parsed = msg::document::parse(request.text());
      what.asked = question_of(name, parsed.value);
      bool is_ours = !what.asked.method.empty() && is_of(parsed.value.value().if_object(), key);
      return is_ours ? exchange_line(what, mask, salt) : std::string{};
    };
    to_->write(asked.request.held_bytes() + answer.held_bytes(), std::move(line));
  }

  /// As it is now: the line may be made when the connection is gone.
  mcp::masking mask() {
    if (auto inner = inner_.lock())
      mask_ = inner->mask();
    return mask_;
  }

  recorded_server server_;
  std::shared_ptr<recorder> to_;
  std::weak_ptr<mcp::connection> inner_;
  mcp::masking mask_ = [](std::string text) { return text; }; ///< of before it was opened
  std::map<uint64_t, asked_now> open_;
  bool is_stopping_ = false;
};

class recorded_connection final : public mcp::decorated_connection {
public:
  recorded_connection(std::shared_ptr<mcp::connection> inner, std::shared_ptr<log_of_connection> log)
    : decorated_connection(std::move(inner)),
      log_(std::move(log)) {}

  bool send(msg::spliced_text message, uint64_t key, mcp::request_labels labels) override {
    log_->asked(message, key);
    return decorated_connection::send(std::move(message), key, std::move(labels));
  }
  bool take_back(uint64_t key) override {
    auto is_back = decorated_connection::take_back(key);
    if (is_back)
      log_->taken_back(key);
    return is_back;
  }

  void stop() override {
    log_->stopping();
    decorated_connection::stop();
  }
  void kill() override {
    log_->stopping();
    decorated_connection::kill();
  }

private:
  std::shared_ptr<log_of_connection> log_;
};

} // namespace

msg::outcome<std::shared_ptr<mcp::connection>> open_recorded(std::string server, std::shared_ptr<recorder> to,
                                                             const connection_opener& open,
                                                             mcp::connection_events events) {
  auto log = std::make_shared<log_of_connection>(recorded_server{std::move(server), events.text_is}, std::move(to));
  auto inner_events = events;
  inner_events.received = [log, then = events.received](msg::document message, uint64_t during) {
    return log->heard_in_turn(log, then, std::move(message), during);
  };
  inner_events.closed = [log, then = events.closed](msg::fault why) {
    log->ended(why);
    then(std::move(why));
  };
  auto inner = open(std::move(inner_events));
  if (!inner.ok())
    return std::move(inner.error);
  log->use(inner.value);
  return std::shared_ptr<mcp::connection>{
    std::make_shared<recorded_connection>(std::move(inner.value), std::move(log))};
}

} // namespace recording
