#include "recording/connections.hpp"

#include "process/no_throw.hpp"
#include "process/offload.hpp"

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

msg::document never_asked(uint64_t id, const question& asked, const std::string& more) {
  auto tool = asked.tool();
  auto message = "the recording has no answer of " + (tool.empty() ? asked.method : "tool " + tool) + more;
  return answer_with(id, "error", json::object{{"code", not_recorded}, {"message", message}});
}

/// Of what was said, its numbers as they are spelled in the recording.
msg::document spelled_answer(uint64_t id, std::string_view member, const msg::document& what) {
  auto text = R"({"jsonrpc":"2.0","id":)" + std::to_string(static_cast<int64_t>(id)) + ",\"" + std::string{member}
              + "\":" + what.spelled() + "}";
  return msg::document::parse(text, msg::spelling::kept).value;
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
    auto found = what_.from->answer(asked, events_.text_is);
    bool is_answered = found && (found->result() || found->error());
    if (real_ && !is_answered)
      return real_->send(std::move(message), key, std::move(labels));
    found ? say(key, *found) : say_never_asked(key, std::move(asked));
    return true;
  }
  bool take_back(uint64_t key) override { return real_ && real_->take_back(key); }
  std::chrono::milliseconds unread_for() override { return real_ ? real_->unread_for() : std::chrono::milliseconds{0}; }
  bool says_labels() const override { return real_ && real_->says_labels(); }
  mcp::masking mask() const override {
    return real_ ? real_->mask() : [](std::string text) { return text; };
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
      return say(answer_of(id, "result", was, *result), took);
    if (auto* error = was.error())
      return say(answer_of(id, "error", was, *error), took);
    if (auto lost = was.lost(); !lost.empty())
      spawn(end_later(shared_from_this(), std::move(lost), took));
  }

  msg::document answer_of(uint64_t id, std::string_view member, const recorded_answer& was, const json::value& what) {
    return events_.text_is == msg::spelling::kept ? spelled_answer(id, member, was.line.part(what))
                                                  : answer_with(id, member, what);
  }

  void say_never_asked(uint64_t id, question asked) {
    if (nearest_told_ == nearest_told_max)
      return say(never_asked(id, asked,
                             " to these arguments; the nearest that were recorded are told of the first "
                               + std::to_string(nearest_told_max) + " such calls of a connection only"),
                 {});
    ++nearest_told_;
    spawn(say_nearest(shared_from_this(), id, std::move(asked)));
  }

  awaitable<void> say_nearest([[maybe_unused]] std::shared_ptr<replayed_connection> self, uint64_t id, question asked) {
    auto find = [from = what_.from, asked] { return from->nearest(asked); };
    auto found = co_await process::offload(what_.line, std::move(find));
    auto more = found.value.empty() ? std::string{" of this server"}
                                    : " to these arguments; the nearest that were recorded: " + found.value;
    auto told = say_later(shared_from_this(), never_asked(id, asked, more), microseconds{0});
    co_await std::move(told);
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
  size_t nearest_told_ = 0;
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
