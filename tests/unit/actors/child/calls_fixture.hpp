// A server of which only its calls are real.
#pragma once

#include "actors/child/calls_in_flight.hpp"
#include "tests/actors/put_off.hpp"

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace child_calls_test {

using namespace std::literals;
using child::timer;
using msg::errc;
using result = msg::outcome<msg::tool_result>;

struct calls_fixture : testing::Test {
  child::lifecycle::time_point now{1h};
  child::lifecycle life;
  child::tool_review review{"kid", child::during_review::calls_wait};
  child::known_tools tools{nullptr};
  child::restart_policy restarts{"kid", {{1, 1min, 30s}, 100}, 1};
  child::non_protocol_lines lines;
  child::idle_clock idle{10min};

  std::vector<msg::tool_call> sent;
  std::vector<std::pair<msg::call_key, std::string>> cancelled; ///< that the server was told of, and why
  bool reads = true;
  std::set<msg::call_key> unread; ///< sent, and not on its way yet
  uint32_t unread_ms = 0;
  std::vector<std::pair<timer, std::chrono::milliseconds>> timers;
  std::map<msg::call_key, std::vector<result>> answers;

  calls_fixture() {
    life.start(now);
    life.became_ready();
    restarts.became_ready(now);
  }

  child::flight_requests requests() {
    child::flight_requests r;
    r.send = [this](const msg::tool_call& call) {
      if (reads)
        sent.push_back(call);
      return reads;
    };
    r.cancel = [this](msg::call_key key, std::string_view reason) {
      if (unread.erase(key) > 0)
        return false;
      cancelled.emplace_back(key, reason);
      return true;
    };
    r.forget_given_up = [this](const std::function<bool(msg::call_key)>& is_kept) {
      std::erase_if(cancelled, [&](auto& call) { return !is_kept(call.first); });
    };
    r.unread_ms = [this] { return unread_ms; };
    r.set_timer = [this](timer which, std::chrono::milliseconds after) { timers.emplace_back(which, after); };
    r.now = [this] { return now; };
    return r;
  }
  child::calls_in_flight in_flight(uint32_t at_once, uint32_t timeout_ms = 0) {
    msg::server_entry entry;
    entry.name = "kid";
    entry.source = "/etc/servers.json";
    entry.call_timeout_ms = timeout_ms;
    return {entry, at_once, nullptr, {life, review, tools, restarts, lines, idle}, requests()};
  }

  child::open_call make(uint64_t run, uint64_t number, std::string tool = "echo") {
    child::open_call open;
    open.call.key = {run, number};
    open.call.server = "kid";
    open.call.tool = std::move(tool);
    open.call.arguments = msg::document{boost::json::object{}};
    open.answer = [this, key = open.call.key](result r) { answers[key].push_back(std::move(r)); };
    return open;
  }
  /// Of a call that has been answered, once.
  const result& answer_of(msg::call_key key) {
    static const result none;
    EXPECT_EQ(answers[key].size(), 1u) << key.run << "." << key.call;
    return answers[key].empty() ? none : answers[key].front();
  }
  size_t answers_to(msg::call_key key) { return answers[key].size(); }
  static msg::document ok() { return msg::document{boost::json::object{}}; }
};

} // namespace child_calls_test
