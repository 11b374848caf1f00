#include "recording/connections.hpp"

#include "messages/limits.hpp"
#include "process/no_throw.hpp"
#include "process/offload.hpp"
#include "text/parsed_size.hpp"

#include <asio/co_spawn.hpp>
#include <asio/post.hpp>
#include <asio/steady_timer.hpp>
#include <asio/use_awaitable.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <chrono>
#include <deque>
#include <exception>
#include <optional>
#include <utility>

namespace recording {

namespace json = boost::json;

namespace {

using asio::awaitable;
using std::chrono::microseconds;
using clock = std::chrono::steady_clock;

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

/// An answer as a message of the server.
struct said_answer {
  msg::document message; ///< null: there was none
  std::string lost;      ///< how it ended then; empty: none ever came
  microseconds took{0};
};

/// Of what was said, its numbers as they are spelled in the recording.
msg::document spelled_answer(uint64_t id, std::string_view member, const msg::document& what) {
  auto text = R"({"jsonrpc":"2.0","id":)" + std::to_string(static_cast<int64_t>(id)) + ",\"" + std::string{member}
              + "\":" + what.spelled() + "}";
  return msg::document::parse(text, msg::spelling::kept).value;
}

said_answer said_by(uint64_t id, const recorded_answer& was, msg::spelling text_is) {
  said_answer out{{}, was.lost(), was.took()};
  for (std::string_view member : {"result", "error"})
    if (auto* what = was.member(member); what && out.message.value().is_null())
      out.message = text_is == msg::spelling::kept ? spelled_answer(id, member, was.line.part(*what))
                                                   : answer_with(id, member, *what);
  return out;
}

/// On another thread: it may have megabytes.
msg::outcome<said_answer> read_long(uint64_t id, std::string_view line, msg::spelling text_is) {
  if (text::parsed_size(line) > msg::limits::run_held_bytes_max)
    return msg::fault{msg::errc::limit_exceeded, "its line in the recording has " + std::to_string(line.size())
                                                   + " bytes, which would take more than "
                                                   + std::to_string(msg::limits::run_held_bytes_max >> 20)
                                                   + " MiB of memory"};
  auto parsed = msg::document::parse(line, text_is);
  if (!parsed.ok() || !parsed.value.value().is_object())
    return msg::fault{msg::errc::invalid_argument, "its line in the recording is no JSON: " + parsed.error.message};
  return said_by(id, recorded_answer{std::move(parsed.value)}, text_is);
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
    if (found && !found->long_line.empty())
      return say_long({key, found->long_line, std::move(message), std::move(labels)});
    auto said = found ? said_by(key, *found, events_.text_is) : said_answer{};
    if (real_ && said.message.value().is_null())
      return real_->send(std::move(message), key, std::move(labels));
    found ? say(std::move(said)) : say_never_asked(key, std::move(asked));
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
  /// A question whose recorded answer is long.
  struct long_answer {
    uint64_t key = 0;
    std::string_view line;
    msg::spliced_text asked;
    mcp::request_labels labels;
    clock::time_point at = clock::now();
  };

  void say(said_answer was) {
    auto took = what_.keeps_pace ? was.took : microseconds{0};
    if (!was.message.value().is_null())
      say(std::move(was.message), took);
    else if (!was.lost.empty())
      spawn(end_later(shared_from_this(), std::move(was.lost), took));
  }

  bool say_long(long_answer one) {
    if (long_.size() >= open_max)
      return false;
    long_.push_back(std::move(one));
    if (!std::exchange(says_long_, true))
      spawn(say_long_ones(shared_from_this()));
    return true;
  }

  /// One after the other: memory has one of them, besides what whoever asks holds of those before.
  awaitable<void> say_long_ones([[maybe_unused]] std::shared_ptr<replayed_connection> self) {
    while (!long_.empty() && !is_over_) {
      auto one = std::move(long_.front());
      long_.pop_front();
      auto read = [from = what_.from, line = one.line, id = one.key, text_is = events_.text_is] {
        return read_long(id, line, text_is);
      };
      auto made = co_await process::offload(what_.line, std::move(read));
      auto said = say_read(std::move(one), std::move(made));
      co_await std::move(said);
    }
    says_long_ = false;
  }

  awaitable<void> say_read(long_answer one, msg::outcome<said_answer> made) {
    auto& message = made.value.message;
    if (!made.ok())
      message = answer_with(one.key, "error", json::object{{"code", not_recorded}, {"message", made.error.message}});
    if (real_ && message.value().is_null()) {
      real_->send(std::move(one.asked), one.key, std::move(one.labels));
      co_return;
    }
    auto passed = std::chrono::duration_cast<microseconds>(clock::now() - one.at);
    auto later = what_.keeps_pace ? std::max(made.value.took - passed, microseconds{0}) : microseconds{0};
    if (!message.value().is_null()) {
      auto told = say_later(shared_from_this(), std::move(message), later);
      co_await std::move(told);
    } else if (!made.value.lost.empty()) {
      auto ended = end_later(shared_from_this(), std::move(made.value.lost), later);
      co_await std::move(ended);
    }
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
    for (auto& gap : what_.from->gaps())
      more += "; " + gap;
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
  std::deque<long_answer> long_;          ///< at most open_max
  bool says_long_ = false;
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
