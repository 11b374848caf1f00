// Plans that have a name: what happens together on bad days.
#pragma once

#include "messages/document.hpp"

#include <string_view>
#include <vector>

namespace faults {

std::vector<std::string_view> preset_names();
/// What happens in it, as a sentence; empty: there is none of that name.
std::string_view preset_summary(std::string_view name);
/// A list of rules; null: there is none of that name.
msg::document preset_rules(std::string_view name);

} // namespace faults
