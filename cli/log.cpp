#include "cli/log.hpp"

#include "text/json_text.hpp"
#include "text/printable.hpp"
#include "text/utf8.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <spdlog/formatter.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <chrono>
#include <ctime>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace cli {

namespace json = boost::json;

namespace {

/// "2026-01-31T12:00:00.123Z"
std::string time_text(spdlog::log_clock::time_point time) {
  auto seconds = spdlog::log_clock::to_time_t(time);
  auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count() % 1'000;
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  char text[32];
  std::string out{text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S.", &parts)};
  auto digits = std::to_string(1'000 + ms);
  return out.append(digits, 1, 3) + "Z";
}

/// A line is for people; what others have put into it may be of any length.
constexpr size_t message_bytes_max = 64u << 10;

std::string_view shown(const spdlog::details::log_msg& message) {
  return std::string_view{message.payload.data(), message.payload.size()}.substr(0, message_bytes_max);
}

/// One object per line, whatever bytes the message has: children and clients put theirs into it.
class json_formatter final : public spdlog::formatter {
public:
  void format(const spdlog::details::log_msg& message, spdlog::memory_buf_t& to) override {
    auto level = spdlog::level::to_string_view(message.level);
    json::value line = json::object{{"time", time_text(message.time)},
                                    {"level", json::string{level.data(), level.size()}},
                                    {"message", text::valid_utf8(shown(message))}};
    auto text = text::to_text(line) + "\n";
    to.append(text.data(), text.data() + text.size());
  }
  std::unique_ptr<spdlog::formatter> clone() const override { return std::make_unique<json_formatter>(); }
};

/// One line for each message, and nothing in it that a terminal obeys: children, guests and clients put their texts
/// into messages.
class text_formatter final : public spdlog::formatter {
public:
  void format(const spdlog::details::log_msg& message, spdlog::memory_buf_t& to) override {
    auto text = text::printable(shown(message));
    auto harmless = message;
    harmless.payload = text;
    layout_.format(harmless, to);
  }
  std::unique_ptr<spdlog::formatter> clone() const override { return std::make_unique<text_formatter>(); }

private:
  spdlog::pattern_formatter layout_{"%Y-%m-%dT%H:%M:%S.%e %l %v"};
};

/// Formats on the thread that logs, and leaves the rest to the writer.
class background_sink final : public spdlog::sinks::base_sink<std::mutex> {
public:
  explicit background_sink(std::weak_ptr<stderr_writer> to) : to_(std::move(to)) {}

protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    if (auto writer = to_.lock())
      writer->push({line.data(), line.size()});
  }
  void flush_() override {}

private:
  std::weak_ptr<stderr_writer> to_;
};

std::unique_ptr<spdlog::formatter> formatter_of(config::log_form form) {
  if (form == config::log_form::json)
    return std::make_unique<json_formatter>();
  return std::make_unique<text_formatter>();
}

} // namespace

void start_log() {
  spdlog::set_default_logger(spdlog::stderr_logger_mt("code-executor"));
  spdlog::set_formatter(std::make_unique<text_formatter>());
  spdlog::set_level(spdlog::level::info);
}

void use_log_settings(const config::log_settings& settings) {
  spdlog::set_formatter(formatter_of(settings.form));
  if (!settings.level.empty())
    spdlog::set_level(spdlog::level::from_str(settings.level));
}

std::shared_ptr<stderr_writer> log_in_background(const config::log_settings& settings) {
  auto writer = std::make_shared<stderr_writer>();
  auto& sinks = spdlog::default_logger()->sinks();
  sinks = {std::make_shared<background_sink>(writer)};
  sinks.front()->set_formatter(formatter_of(settings.form));
  return writer;
}

} // namespace cli
