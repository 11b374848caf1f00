// What our tools answer: CallToolResult objects in the shapes of the three seeds.
#pragma once

#include "messages/errors.hpp"
#include "messages/run.hpp"
#include "tools/surface.hpp"

#include <boost/json/object.hpp>

#include <string>
#include <vector>

namespace tools {

/// A run's report in the shape of the tool that was called. `structuredContent` is always there; the session drops it
/// for revisions that do not know it.
boost::json::object run_result(const tool& t, const msg::run_report& report, const std::vector<std::string>& servers);

/// A run that did not take place: bad arguments, no room, no runtime.
boost::json::object refused_run(const tool& t, const msg::fault& why);

/// Any other tool: one JSON text block and the same object as structuredContent.
boost::json::object document_result(boost::json::object document);

/// isError with a text.
boost::json::object error_result(const msg::fault& why);

/// "TypeError: x is not a function (line 3, column 5)".
std::string error_line(const msg::program_error& error);

} // namespace tools
