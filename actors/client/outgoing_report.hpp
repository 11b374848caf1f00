// The report of a run on its way to the client: what is too large for a model is kept first, so that the answer can say
// where it is.
#pragma once

#include "messages/artifacts.hpp"
#include "messages/errors.hpp"
#include "messages/run.hpp"
#include "proxy/surface/results.hpp"
#include "proxy/surface/surface.hpp"

#include <boost/json/object.hpp>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace client {

class outgoing_report {
public:
  /// `t` is one of the tools that there are for ever: see surface::find_tool(). `owner`: see msg::run_request.
  outgoing_report(const surface::tool& t, msg::run_report report, surface::presentation present,
                  const std::string& owner = {});

  /// What has to be kept for later; to be taken once. Empty: the result needs no other actor.
  std::vector<msg::large_artifact> take_large() { return std::move(large_); }
  /// How long the answer may wait for that: it comes in time, whether the place is known or not. `timeout`: of the run.
  std::chrono::milliseconds patience(std::chrono::milliseconds timeout) const;

  /// The result of the call, if everything is in the report.
  boost::json::object result() const { return surface::run_result(tool_, report_, present_); }
  /// If something was to be kept: what came of that.
  boost::json::object result(msg::outcome<msg::artifact_answer> kept);
  /// If it is still being written.
  boost::json::object result_in_time();

private:
  const surface::tool& tool_;
  msg::run_report report_;
  surface::presentation present_;
  std::vector<msg::large_artifact> large_;
  std::vector<msg::kept_artifact> unwritten_;
};

} // namespace client
