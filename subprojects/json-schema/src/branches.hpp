// When no alternative fits: the one that came nearest is what was meant.
#pragma once

#include "evaluation.hpp"

#include <vector>

namespace json_schema {

/// Reports the errors of the nearest branch, or one error when all that is wrong is the type. Always false.
bool fail_nearest_branch(evaluation& run, const keyword& k, const subject& s, const std::vector<const node*>& branches);

} // namespace json_schema
