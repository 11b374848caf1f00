// The nearest of the known names to a wrong one, for the "did you mean" of every complaint.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace text {

inline constexpr size_t nearest_bytes_max = 128;

/// Only what carries meaning: letters and digits, lower case; letters of other alphabets as they are.
std::string skeleton(std::string_view name);

/// At most `count` of `names` that are near to `wanted` (edit distance, common parts), nearest first. Who is wrong
/// chooses the texts, and those who wait for the one thread bear it: longer ones than nearest_bytes_max are near to
/// nothing, and of many names those are compared for which there is time (some milliseconds).
std::vector<std::string> nearest(std::string_view wanted, const std::vector<std::string_view>& names, size_t count = 3);

/// Bounded Damerau-Levenshtein distance (adjacent swaps count one); `bound + 1` when it is larger.
size_t edit_distance(std::string_view a, std::string_view b, size_t bound);

} // namespace text
