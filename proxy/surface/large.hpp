// What is too large for the model: found in a report before it is shown, and what stands for it when it is.
#pragma once

#include "messages/artifacts.hpp"
#include "messages/run.hpp"
#include "proxy/surface/surface.hpp"

#include <boost/json/value.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace surface {

/// What stands for a value that was taken out of a report.
struct large_description {
  msg::artifact_part part = msg::artifact_part::result;
  uint32_t index = 0;
  std::string shape;
  boost::json::value sample;
};

struct taken_outputs {
  std::vector<msg::large_artifact> large;
  std::vector<large_description> described;
};

/// What has to be kept for later of what a result of that shape shows, with `chars_max` of each part. The report keeps
/// what can be seen of texts, and nothing of lists and objects: the thread that has written them to the disk also bears
/// their end, which takes as long.
taken_outputs take_large(msg::run_report& report, result_shape shape, size_t chars_max);
/// Their handles become those of that owner, see msg::run_request::owner.
void give_to(const std::string& owner, std::vector<msg::large_artifact>& large);

/// What can be said of them while they are still being written.
std::vector<msg::kept_artifact> still_written(const std::vector<msg::large_artifact>& large);

/// Where the large parts of one run are. Views; the run's language decides how reading them is written.
struct kept_artifacts {
  const std::vector<msg::kept_artifact>& all;
  const std::vector<large_description>& described;
  msg::language lang;
  size_t chars_max;    ///< of one text, and bytes of one value, that the model is shown
  std::string problem; ///< why something large has no handle; empty: not known

  /// Null: it was not kept.
  const msg::kept_artifact* find(msg::artifact_part part, uint32_t index = 0) const;
  /// Null: the value is still in the report.
  const large_description* description(msg::artifact_part part, uint32_t index = 0) const;
  /// Of the marker in a shortened text.
  std::string advice(msg::artifact_part part, uint32_t index = 0) const;
};

/// What the model is shown of a value.
struct shown_value {
  /// Itself, or what stands for it: a shortened text, or an object of shape, sample and handle.
  boost::json::value value;
  std::string text; ///< for reading; empty: the value can be written as it is
  bool truncated = false;
  uint64_t cut_bytes = 0; ///< of a text of which the middle is left out
};
/// For the end of a text: how much it was and what reads all of it.
std::string left_out_line(std::string_view name, uint64_t bytes, const kept_artifacts& kept, msg::artifact_part part,
                          uint32_t index = 0);

shown_value show_value(const boost::json::value& value, const kept_artifacts& kept, msg::artifact_part part,
                       uint32_t index = 0);

} // namespace surface
