// What our tools answer: CallToolResult objects in the shapes of the three seeds.
#pragma once

#include "messages/artifacts.hpp"
#include "messages/errors.hpp"
#include "messages/run.hpp"
#include "proxy/surface/large.hpp"
#include "proxy/surface/surface.hpp"
#include "proxy/surface/toon.hpp"

#include <boost/json/object.hpp>

#include <string>
#include <vector>

namespace surface {

/// How a report is to be answered.
struct presentation {
  std::vector<std::string> servers; ///< that a run_python was given
  output_format format = output_format::usual;
  size_t chars_max = msg::limits::model_text_chars_max; ///< of each part
  std::vector<msg::kept_artifact> kept;                 ///< of what take_large() took
  std::string keep_problem;                             ///< why something of it is missing
  std::vector<large_description> described;             ///< by take_large()
};

/// In `_meta`: under which handle the whole result is kept, of which the report has a description or a part. A program
/// can return what looks like a description; it can not say this.
inline constexpr const char* result_handle_name = "code-executor/resultHandle";

/// A run's report in the shape of the tool that was called. `structuredContent` is always there; the session drops it
/// for revisions that do not know it.
boost::json::object run_result(const tool& t, const msg::run_report& report, const presentation& how = {});

/// A run that did not take place: bad arguments, no room, no runtime.
boost::json::object refused_run(const tool& t, const msg::fault& why, output_format format = output_format::usual);

/// Any other tool: one JSON text block and the same object as structuredContent.
boost::json::object document_result(boost::json::object document);

/// `structuredContent`, which many clients show the model, becomes `_meta["code-executor/report"]`, which is for
/// programs.
void report_in_meta(boost::json::object& result);

/// isError with a text.
boost::json::object error_result(const msg::fault& why);

/// "TypeError: x is not a function".
std::string error_line(const msg::program_error& error);
/// "\nat line 3, column 5", on a line of its own: the message before it may be JSON. Empty: it is not known.
std::string position_line(const msg::program_error& error);

} // namespace surface
