// The streams of one client, with a clock that a test moves.
#pragma once

#include "mcp/http_streams.hpp"

#include "messages/http_limits.hpp"
#include "tests/unit/mcp/recorded_exchange.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace mcp_http_streams_test {

namespace limits = msg::limits;
using kind = mcp::outgoing::kind;
using mcp::resumed;
using mcp::resumption;
using exchange_ptr = std::shared_ptr<test::recorded_exchange>;

class http_streams_test : public testing::Test {
protected:
  static exchange_ptr reader() { return std::make_shared<test::recorded_exchange>(); }
  static http::headers fields() { return {{"Mcp-Session-Id", "s"}}; }
  static std::string event(const std::string& id, const std::string& text) {
    return (id.empty() ? "" : "id: " + id + "\n") + "event: message\ndata: " + text + "\n\n";
  }
  static std::string field(const exchange_ptr& of, std::string_view name) {
    for (auto& each : of->head.fields)
      if (each.name == name)
        return each.value;
    return {};
  }
  mcp::stream_number open(const exchange_ptr& to, resumption how) { return streams_->open(to, how, fields()); }
  bool open_own(const exchange_ptr& to) { return streams_->open_own(to, fields()); }
  resumed come_back(const mcp::event_place& after, const exchange_ptr& to) {
    return streams_->resume(after, to, fields());
  }
  bool resume(const mcp::event_place& after, const exchange_ptr& to) { return come_back(after, to) == resumed::yes; }
  void pass(std::chrono::milliseconds time) {
    now_ += time;
    streams_->keep_alive();
  }
  /// As long as an answer may take before it becomes a stream.
  void be_quiet() { pass(limits::http_quiet_max); }

  mcp::http_streams::time_point now_{};
  std::vector<mcp::stream_number> lost_;
  std::shared_ptr<mcp::http_streams> streams_ =
    std::make_shared<mcp::http_streams>([this] { return now_; }, [this](auto stream) { lost_.push_back(stream); });
};

constexpr std::string_view working = ": working\n\n";

} // namespace mcp_http_streams_test
