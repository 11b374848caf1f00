// The tools that a model may get for its question: those that the run may use and the question's patterns name.
#pragma once

#include "messages/errors.hpp"
#include "messages/tool_call.hpp"
#include "proxy/allowlist.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace actors::run {

/// errc::none: those with a star are at most limits::patterns_bytes_max in all.
msg::fault check_size(const std::vector<std::string>& patterns);

/// Of tools that the run may use, those that patterns name. Tools of a server come one after the other. Another thread
/// may have it when the run and all that belongs to it is gone: thousands of tools held against a thousand patterns
/// take long, and one server may have both from hostile authors.
class tool_choice {
public:
  tool_choice(std::shared_ptr<const proxy::allowlist> filter, msg::tool_list tools)
    : filter_(std::move(filter)),
      from_(std::move(tools)) {}

  /// Until `has_to_stop` says so, which is asked before each tool. True: all are done.
  bool go_on(const std::function<bool()>& has_to_stop);
  msg::tool_list take() { return std::move(chosen_); }

private:
  std::shared_ptr<const proxy::allowlist> filter_;
  msg::tool_list from_;
  size_t at_ = 0;
  std::string server_; ///< that of_server_ is of
  std::optional<proxy::patterns_of_server> of_server_;
  msg::tool_list chosen_;
};

/// Gathers what several servers have.
class wanted_tools {
public:
  wanted_tools() = default;
  /// `usable`: servers of which the run may use something.
  wanted_tools(std::vector<std::string> patterns, std::vector<std::string> usable);

  /// The servers to be searched, each to be ended with end_search(); the empty name: all that are known. A name that is
  /// no usable server's is searched as it is written: the answer says what is wrong with it.
  std::set<std::string> begin_searches();
  tool_choice choose(msg::tool_list tools) const { return {filter_, std::move(tools)}; }
  void add(msg::tool_list chosen);
  /// `why`: errc::none, or what went wrong; the first such counts. True: that was the last.
  bool end_search(msg::fault why);
  /// By server and name. A fault: there are none.
  msg::outcome<msg::tool_list> take();

private:
  std::vector<std::string> patterns_;
  proxy::server_names servers_;
  std::shared_ptr<const proxy::allowlist> filter_;                      ///< of the patterns
  std::map<std::pair<std::string, std::string>, msg::tool_info> found_; ///< by server and name
  msg::fault problem_;
  size_t outstanding_ = 0;
};

} // namespace actors::run
