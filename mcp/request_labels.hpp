// What is known of a message beside it: what it asks for, and what HTTP says of it since 2026-07-28, where proxies read
// it.
#pragma once

#include "messages/document.hpp"
#include "messages/tool_call.hpp"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace mcp {

/// What a request asks for, in either era. Said nowhere.
struct request_subject {
  std::string method; ///< empty: it is none of ours
  std::string tool;   ///< raw name; of others than tools/call empty
  msg::call_key call = {};
  msg::document faults = {}; ///< that are to hit the calls of its run; null: none
};

struct request_labels {
  std::string method;    ///< empty: nothing is said, the message is of a revision that begins with `initialize`
  std::string name = {}; ///< of what it names; empty: nothing
  /// Arguments of a tool that wants them there: whole name of the header, and the value as it is sent.
  std::vector<std::pair<std::string, std::string>> parameters = {};
  request_subject about = {};

  bool is_empty() const { return method.empty(); }
  size_t bytes() const {
    auto sum = method.size() + name.size();
    for (auto& [header, value] : parameters)
      sum += header.size() + value.size();
    return sum;
  }
  /// Of a request that is answered by a stream, which lasts.
  bool is_listen() const { return method == "subscriptions/listen"; }
  /// Of the request that asks which revisions a server speaks.
  bool is_discovery() const { return method == "server/discover"; }
};

} // namespace mcp
