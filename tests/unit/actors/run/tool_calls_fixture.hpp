// Calls of a program, and who they are made by: all that the class asks for is written down.
#pragma once

#include "actors/run/tool_calls.hpp"

#include "messages/limits.hpp"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <optional>

namespace actors_run_tool_calls_test {

using namespace actors::run;
using namespace std::chrono_literals;
using msg::errc;
namespace json = boost::json;

struct tool_calls_test : testing::Test {
  time_point now{1h};
  // What they hold is called while more is put behind it.
  std::deque<std::pair<msg::tool_request, std::function<void(msg::outcome<msg::tool_result>)>>> sent;
  std::function<void()> work;
  bool may_log_in = false;
  std::vector<std::string> logins;
  std::function<void(msg::fault)> log_in; ///< how the last one has ended
  std::vector<uint64_t> cancelled;
  std::vector<std::string> observed, recorded, progress;
  std::vector<std::chrono::milliseconds> looks;
  std::map<uint64_t, msg::outcome<msg::document>> answers;
  held_bytes held{[](uint64_t) {}};
  open_requests requests{held,
                         [this](uint64_t id, msg::outcome<msg::document> answer) { answers[id] = std::move(answer); }};
  notes told;
  std::optional<tool_calls> calls;

  tool_calls_test() { limit({10, 3}); }
  std::deque<std::pair<wanted_consent, std::function<void(msg::fault)>>> consents_wanted;
  bool asks = false; ///< calls may need consent
  void limit(call_limits limits) {
    call_routes to;
    to.now = [this] { return now; };
    to.call = [this](msg::tool_request call, auto then) { sent.emplace_back(std::move(call), then); };
    to.may_log_in = [this] { return may_log_in; };
    to.log_in = [this](const std::string& server, auto then) {
      logins.push_back(server);
      log_in = then;
    };
    to.cancel = [this](uint64_t id) { cancelled.push_back(id); };
    to.elsewhere = [this](auto make, auto then) { work = [make, then] { then(make()); }; };
    to.observe = [this](const msg::tool_ref& tool, const msg::document& result) {
      observed.push_back(tool.tool + " " + result.text());
    };
    to.keep = [](const msg::document&) { return nullptr; };
    to.record = [this](const open_call& call, const msg::fault& error) {
      recorded.push_back(call.full_name + " " + std::string{to_string(error.code)} + " " + error.message);
    };
    to.record_open = [this](const open_call& call) { recorded.push_back(call.full_name + " open"); };
    to.look_again = [this](std::chrono::milliseconds pause) { looks.push_back(pause); };
    to.progress = [this](const msg::run_progress& p) {
      progress.push_back(std::to_string(p.calls_started) + "/" + std::to_string(p.calls_ended) + " " + p.message);
    };
    if (asks)
      to.ask_consent = [this](wanted_consent call, auto then) { consents_wanted.emplace_back(std::move(call), then); };
    calls.emplace(limits, requests, held, told, std::move(to));
  }
  void begin(uint64_t id, std::string tool = "add") {
    calls->begin({id, {"", "s", std::move(tool)}, msg::document{json::object{}}});
  }
  void return_last(std::string_view envelope) {
    sent.back().second(msg::tool_result{msg::document{json::parse(envelope)}, "", "s", sent.back().first.tool.tool});
  }
  std::string told_text() {
    msg::captured_text text;
    std::move(told).append_to(text);
    return text.head;
  }
};

} // namespace actors_run_tool_calls_test
