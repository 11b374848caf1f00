#include "cli/log.hpp"

#include <boost/json/serialize.hpp>
#include <boost/json/string.hpp>
#include <boost/json/value.hpp>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <memory>

namespace cli {

namespace {

/// The message as a JSON string.
class json_text final : public spdlog::custom_flag_formatter {
public:
  void format(const spdlog::details::log_msg& message, const std::tm&, spdlog::memory_buf_t& to) override {
    std::string_view text{message.payload.data(), message.payload.size()};
    auto written = boost::json::serialize(boost::json::value(boost::json::string{text}));
    to.append(written.data(), written.data() + written.size());
  }
  std::unique_ptr<custom_flag_formatter> clone() const override { return std::make_unique<json_text>(); }
};

void set_level(const std::string& level) {
  auto wanted = level.empty() ? spdlog::level::info : spdlog::level::from_str(level);
  bool known = level == "off" || wanted != spdlog::level::off; // what spdlog does not know is "off" to it
  spdlog::set_level(known ? wanted : spdlog::level::info);
  if (!known)
    spdlog::warn("CODE_EXECUTOR_LOG_LEVEL must be trace, debug, info, warn, err, critical or off, not '{}'; info is used", level);
}

} // namespace

void log_to_stderr(const std::string& level) {
  spdlog::set_default_logger(spdlog::stderr_logger_mt("code-executor"));
  spdlog::set_pattern("%Y-%m-%dT%H:%M:%S.%e %l %v");
  set_level(level);
}

void apply(const config::log_settings& log) {
  if (log.form == config::log_form::json) {
    auto json = std::make_unique<spdlog::pattern_formatter>(spdlog::pattern_time_type::utc);
    json->add_flag<json_text>('*').set_pattern(R"({"timestamp":"%Y-%m-%dT%H:%M:%S.%eZ","level":"%l","message":%*})");
    spdlog::set_formatter(std::move(json));
  }
  if (!log.level.empty())
    set_level(log.level);
}

} // namespace cli
