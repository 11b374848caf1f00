// What HTTP says of a message beside it, since 2026-07-28: proxies read it there.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace mcp {

struct request_labels {
  std::string method;    ///< empty: nothing is said, the message is of a revision that begins with `initialize`
  std::string name = {}; ///< of what it names; empty: nothing
  /// Arguments of a tool that wants them there: whole name of the header, and the value as it is sent.
  std::vector<std::pair<std::string, std::string>> parameters = {};

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
