// What the three shapes of a run's result have in common.
#pragma once

#include "proxy/surface/large.hpp"
#include "proxy/surface/results.hpp"
#include "proxy/surface/truncate.hpp"
#include "text/printable.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace surface {

/// A report with everything in the size a model can take.
struct truncated_report {
  truncated_text output, diagnostics;
  shown_value result;
  msg::program_error error; ///< errors are for reading: what a program puts into one does not flood the model

  /// For the end of the text, a line for each text of which the middle is left out: clients cut the middle themselves,
  /// and with it the marker there.
  std::vector<std::string> left_out;
  text::left_out sequences = text::left_out::nothing; ///< in what the program printed; others than colours are told

  truncated_report(const msg::run_report& report, const kept_artifacts& kept);
  bool truncated() const { return output.truncated || diagnostics.truncated || result.truncated; }
};

/// Told once, where a text has lost more than its colours.
inline constexpr const char* sequences_note = "[escape sequences for a terminal were left out of the text]";

boost::json::object call_result(std::string text, boost::json::object structured, bool failed);
/// On a line of its own; without line ends behind it.
void add_paragraph(std::string& text, std::string_view more);
/// With one decimal: what is meaningful.
double milliseconds(uint64_t us);
/// A string without its quotes, anything else as JSON.
std::string as_text(const boost::json::value& value);
/// The error of a tool, shortened.
std::string truncate_error(std::string text);
boost::json::array lines_of(std::string_view text);

/// The shape of run_python.
boost::json::object bridge_result(const msg::run_report& report, const truncated_report& shown,
                                  const presentation& how);
/// A run_python that did not take place.
boost::json::object refused_bridge(const msg::fault& why, output_format format);

} // namespace surface
