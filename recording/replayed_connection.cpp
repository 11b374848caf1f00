#include "recording/connections.hpp"

#include "process/no_throw.hpp"

#include <asio/co_spawn.hpp>
#include <asio/post.hpp>
#include <asio/steady_timer.hpp>
#include <asio/use_awaitable.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <chrono>
#include <exception>
#include <optional>
#include <utility>

namespace recording {

namespace json = boost::json;

namespace {

using asio::awaitable;
using std::chrono::microseconds;

/// As JSON-RPC has it for errors of servers.
constexpr int64_t not_recorded = -32001;

msg::document answer_with(uint64_t id, std::string_view member, json::value what) {
  auto as_parsed = static_cast<int64_t>(id); // which is what its number is compared with
  return msg::document{json::object{{"jsonrpc", "2.0"}, {"id", as_parsed}, {member, std::move(what)}}};
}

msg::document never_asked(uint64_t id, const question& asked, const std::string& nearest) {
  auto tool = asked.tool();
  auto what = tool.empty() ? asked.method : "tool " + tool;
  auto message = nearest.empty() ? "the recording has no answer of " + what + " of this server"
                                 : "the recording has no answer of " + what
                                     + " to these arguments; the nearest that were recorded: " + nearest;
  return answer_with(id, "error", json::object{{"code", not_recorded}, {"message", message}});
}

class replayed_connection final : public mcp::connection, public std::enable_shared_from_this<replayed_connection> {
public:
  replayed_connection(std::string server, playing what, asio::any_io_executor executor, mcp::connection_events events)
    : server_(std::move(server)),
      what_(std::move(what)),
      executor_(std::move(executor)),
      events_(std::move(events)) {}

  /// What was never asked goes there.
  void use(std::shared_ptr<mcp::connection> real) { real_ = std::move(real); }

  bool send(msg::spliced_text message, uint64_t key, mcp::request_labels labels) override {
    if (is_over_)
      return true;
    auto parsed = key == 0 ? msg::outcome<msg::document>{} : msg::document::parse(message.text());
    auto asked = question_of(server_, parsed.value);
    if (key == 0 || asked.method.empty())
      return !real_ || real_->send(std::move(message), key, std::move(labels));
    auto found = what_.from->answer(asked);
    bool is_answered = found && (found->result() || found->error());
    if (real_ && !is_answered)
      return real_->send(std::move(message), key, std::move(labels));
    found ? say(key, *found) : say(never_asked(key, asked, what_.from->nearest(asked)), {});
    return true;
  }
  bool take_back(uint64_t key) override { return real_ && real_->take_back(key); }
  std::chrono::milliseconds unread_for() override { return real_ ? real_->unread_for() : std::chrono::milliseconds{0}; }
  bool says_labels() const override { return real_ && real_->says_labels(); }
  std::string masked(std::string text) const override {
    return real_ ? real_->masked(std::move(text)) : std::move(text);
  }
  std::string_view voice() const override { return real_ ? real_->voice() : "in a recording"; }
  void stop() override {
    if (real_)
      return real_->stop();
    end({msg::errc::server_died, "was stopped"});
  }
  void kill() override {
    if (real_)
      return real_->kill();
    end({msg::errc::server_died, "was left"});
  }

private:
  void say(uint64_t id, const recorded_answer& was) {
    auto took = what_.keeps_pace ? was.took() : microseconds{0};
    if (auto* result = was.result())
      return say(answer_with(id, "result", *result), took);
    if (auto* error = was.error())
      return say(answer_with(id, "error", *error), took);
    if (auto lost = was.lost(); !lost.empty())
      spawn(end_later(shared_from_this(), std::move(lost), took));
  }

  awaitable<void> end_later([[maybe_unused]] std::shared_ptr<replayed_connection> self, std::string why,
                            microseconds later) {
    asio::steady_timer timer{executor_, later};
    co_await timer.async_wait(process::no_throw);
    end({msg::errc::server_died, std::move(why)});
  }

  void say(msg::document answer, microseconds later) { spawn(say_later(shared_from_this(), std::move(answer), later)); }

  void spawn(awaitable<void> what) {
    asio::co_spawn(executor_, std::move(what), [self = shared_from_this()](std::exception_ptr failed) {
      if (failed) // its owner takes nothing any more
        self->end({msg::errc::server_died, "can not be served any more"});
    });
  }

  awaitable<void> say_later([[maybe_unused]] std::shared_ptr<replayed_connection> self, msg::document answer,
                            microseconds later) {
    if (later.count() > 0) {
      asio::steady_timer timer{executor_, later};
      co_await timer.async_wait(process::no_throw);
    }
    if (is_over_)
      co_return;
    auto told = events_.received(std::move(answer), 0);
    co_await std::move(told);
  }

  void end(msg::fault why) {
    if (std::exchange(is_over_, true) || real_)
      return;
    asio::post(executor_, [self = shared_from_this(), why = std::move(why)] { self->events_.closed(why); });
  }

  std::string server_;
  playing what_;
  asio::any_io_executor executor_;
  mcp::connection_events events_;
  std::shared_ptr<mcp::connection> real_; ///< null: there is none
  bool is_over_ = false;
};

} // namespace

std::shared_ptr<mcp::connection> open_replayed(std::string server, playing what, asio::any_io_executor executor,
                                               mcp::connection_events events) {
  return std::make_shared<replayed_connection>(std::move(server), std::move(what), std::move(executor),
                                               std::move(events));
}

msg::outcome<std::shared_ptr<mcp::connection>> open_replayed_or_real(std::string server, playing what,
                                                                     asio::any_io_executor executor,
                                                                     const connection_opener& open,
                                                                     mcp::connection_events events) {
  auto real = open(events);
  if (!real.ok())
    return std::move(real.error);
  auto out =
    std::make_shared<replayed_connection>(std::move(server), std::move(what), std::move(executor), std::move(events));
  out->use(std::move(real.value));
  return std::shared_ptr<mcp::connection>{std::move(out)};
}

msg::outcome<std::shared_ptr<mcp::connection>> open_connection(const recordings& with, const std::string& server,
                                                               const asio::any_io_executor& executor,
                                                               const connection_opener& open,
                                                               mcp::connection_events events) {
  auto replayed = [&](mcp::connection_events to) -> msg::outcome<std::shared_ptr<mcp::connection>> {
    if (with.is_alone())
      return open_replayed(server, with.from, executor, std::move(to));
    return with.from.from ? open_replayed_or_real(server, with.from, executor, open, std::move(to))
                          : open(std::move(to));
  };
  return with.to ? open_recorded(server, with.to, replayed, std::move(events)) : replayed(std::move(events));
}

} // namespace recording
