// A call that has no answer yet.
#pragma once

#include "messages/errors.hpp"
#include "messages/faults.hpp"
#include "messages/server_questions.hpp"
#include "messages/tool_call.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

namespace child {

/// The class that has it calls `answer` once, whatever happens.
struct open_call {
  msg::tool_call call;
  std::function<void(msg::outcome<msg::tool_result>)> answer;
  std::function<void(msg::tool_progress)> progressed; ///< empty: no caller hears of it
  std::function<void(msg::injected_fault)> injected;  ///< set with `progressed`
  std::function<void(msg::server_log)> logged;        ///< the same
  /// Its caller is asked what the server wants to know; empty: it can not be.
  std::function<void(msg::server_question, std::function<void(msg::outcome<msg::document>)>)> asked;
  std::function<void(uint64_t question)> withdrawn; ///< the server does not want to know it any more; set with `asked`
  uint64_t list = 0;                                ///< of tools, that was the last one reviewed when it came
  uint64_t change = 0;                              ///< of the list, that was the last one announced when it came
  /// Then it goes on, whether that list has come or not.
  std::chrono::steady_clock::time_point waits_until = std::chrono::steady_clock::time_point::max();
  std::string note; ///< to the program, on how its arguments were read

  msg::call_key key() const { return call.key; }
  void refuse(msg::fault why) const { answer(msg::outcome<msg::tool_result>{std::move(why)}); }
  /// With a fault of its server, which it is told to be of.
  void refuse_at(const std::string& server, msg::fault why) const { refuse(std::move(why).at(server, call.tool)); }
};

/// Gives answers to `then` that name the server and its tool.
inline std::function<void(msg::outcome<msg::tool_result>)>
named_answer(std::string server, std::string tool, std::function<void(msg::outcome<msg::tool_result>)> then) {
  return [server = std::move(server), tool = std::move(tool),
          then = std::move(then)](msg::outcome<msg::tool_result> answer) mutable {
    (answer.ok() ? answer.value.server : answer.error.server) = server;
    (answer.ok() ? answer.value.tool : answer.error.tool) = tool;
    then(std::move(answer));
  };
}

} // namespace child
