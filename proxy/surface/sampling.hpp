// What a run's result says of the models that its program asked.
#pragma once

#include "messages/sampling.hpp"

#include <boost/json/object.hpp>

#include <string>

namespace surface {

/// Puts `samplingMetrics` and, if a model was asked, `samplingCalls` into the structured form. Nothing if sampling was
/// off. Prompts and answers are there if the report has them, shortened so that together they are no more than a
/// program's output may be.
void add_sampling(boost::json::object& structured, const msg::sampling_report& report);

/// "[sampling: 2 rounds, 345 tokens, client]"; empty if no model was asked.
std::string sampling_line(const msg::sampling_report& report);

} // namespace surface
