#include "actors/run/wanted_tools.hpp"

#include "messages/limits.hpp"
#include "proxy/name_patterns.hpp"
#include "proxy/names.hpp"

namespace actors::run {

using msg::errc;
using msg::fault;

namespace {

/// What a pattern seems to name where no such server is configured, or none that the run may use: the connector says
/// so. Empty: it names none.
std::string server_as_written(const std::string& pattern) {
  auto fixed = pattern.substr(0, pattern.find('*'));
  auto parts = proxy::split(fixed.size() < pattern.size() ? fixed + "*" : fixed, {});
  return parts ? parts->server : std::string{};
}

} // namespace

fault check_size(const std::vector<std::string>& patterns) {
  auto bytes = proxy::bytes_of_those_with_stars(patterns);
  if (bytes <= msg::limits::patterns_bytes_max)
    return {};
  return {errc::invalid_argument, "llm: the patterns with a star in 'tools' must be at most "
                                    + std::to_string(msg::limits::patterns_bytes_max) + " bytes in all, not "
                                    + std::to_string(bytes)};
}

bool tool_choice::go_on(const std::function<bool()>& has_to_stop) {
  for (; at_ < from_.size(); ++at_) {
    if (has_to_stop())
      return false;
    auto& tool = from_[at_];
    if (!of_server_ || tool.server != server_) {
      server_ = tool.server;
      of_server_.emplace(filter_->patterns(), server_);
    }
    if (of_server_->match(tool.name))
      chosen_.push_back(std::move(tool));
  }
  return true;
}

wanted_tools::wanted_tools(std::vector<std::string> patterns, std::vector<std::string> usable)
  : patterns_(std::move(patterns)),
    servers_(std::move(usable)),
    filter_(std::make_shared<const proxy::allowlist>(msg::tool_filter{false, patterns_, {}}, servers_)) {}

std::set<std::string> wanted_tools::begin_searches() {
  std::set<std::string> named;
  for (auto& pattern : patterns_)
    named.insert(proxy::server_in(pattern, servers_).value_or(server_as_written(pattern)));
  outstanding_ = named.size();
  return named;
}

void wanted_tools::add(msg::tool_list chosen) {
  for (auto& tool : chosen) {
    auto key = std::pair{tool.server, tool.name};
    found_.emplace(std::move(key), std::move(tool));
  }
}

bool wanted_tools::end_search(fault why) {
  if (problem_.code == errc::none)
    problem_ = std::move(why);
  return --outstanding_ == 0;
}

msg::outcome<msg::tool_list> wanted_tools::take() {
  msg::tool_list tools;
  for (auto& [name, tool] : found_)
    tools.push_back(std::move(tool));
  if (!tools.empty())
    return tools;
  if (problem_.code == errc::none)
    problem_ = {errc::not_allowed, "llm: none of the tools that this run may use is named by 'tools'"};
  return std::move(problem_);
}

} // namespace actors::run
