#include "mcp/decorated_connection.hpp"
#include "mcp/fields.hpp"
#include "recording/connections.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <chrono>
#include <map>
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

/// What has been asked and not answered; lives until the connection beneath has ended.
class log_of_connection {
public:
  log_of_connection(std::string server, std::shared_ptr<recorder> to)
    : server_(std::move(server)),
      to_(std::move(to)) {}

  void use(std::weak_ptr<mcp::connection> inner) { inner_ = std::move(inner); }

  void asked(const msg::spliced_text& message, uint64_t key) {
    if (open_.size() >= open_max)
      return;
    auto parsed = msg::document::parse(message.text());
    if (key == 0)
      return parsed.ok() ? given_up(parsed.value) : void();
    if (auto* object = parsed.value.value().if_object(); !object || number_in(*object, "id") != key)
      return; // the second copy of one that is doubled on purpose
    auto what = question_of(server_, parsed.value);
    if (!what.method.empty())
      open_.insert_or_assign(key, asked_now{std::move(what), clock::now()});
  }

  /// What is open from now on was left by us.
  void stopping() { is_stopping_ = true; }

  void taken_back(uint64_t key) { open_.erase(key); }

  void heard(const msg::document& message) {
    auto* object = message.value().if_object();
    if (!object)
      return;
    if (auto asked = open_.extract(mcp::answered_by(message)))
      write(asked.mapped(), *object);
    else if (object->contains("method"))
      to_->write(msg::document{json::object{{"server", server_}, {"notification", shown(*object)}}});
  }

  /// What is open has no answer: it died with the server, or never had one.
  void ended(const msg::fault& why) {
    for (auto& [key, asked] : open_)
      write(asked, is_stopping_ ? json::object{} : json::object{{"lost", masked(why.message)}});
    open_.clear();
  }

private:
  struct asked_now {
    question what;
    clock::time_point at;
  };

  /// Nobody waits any more for what a notification names: it has never been answered.
  void given_up(const msg::document& notification) {
    auto* object = notification.value().if_object();
    auto* params = mcp::object_in(object, "params");
    if (mcp::string_in(object, "method") != "notifications/cancelled" || !params)
      return;
    if (auto asked = open_.extract(number_in(*params, "requestId")))
      write(asked.mapped(), {});
  }

  void write(const asked_now& asked, const json::object& answer) {
    json::object line{{"key", key_of(asked.what, to_->salt())},
                      {"server", server_},
                      {"method", asked.what.method},
                      {"params", shown(asked.what.params)},
                      {"ms", milliseconds_since(asked.at)}};
    for (std::string_view member : {"result", "error", "lost"})
      if (auto* said = answer.if_contains(member))
        line.emplace(member, shown(*said, names_in(asked.what.method)));
    to_->write(msg::document{std::move(line)});
  }

  std::string masked(std::string text) const {
    auto inner = inner_.lock();
    return inner ? inner->masked(std::move(text)) : std::move(text);
  }
  json::value shown(const json::value& value, secret_names names = secret_names::redacted) const {
    return without_secrets(
      value, [this](std::string text) { return masked(std::move(text)); }, names);
  }

  std::string server_;
  std::shared_ptr<recorder> to_;
  std::weak_ptr<mcp::connection> inner_;
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
  auto log = std::make_shared<log_of_connection>(std::move(server), std::move(to));
  auto inner_events = events;
  inner_events.received = [log, then = events.received](msg::document message, uint64_t during) {
    log->heard(message);
    return then(std::move(message), during);
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
