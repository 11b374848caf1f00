// What programs may do in a simulation, as its clients have asked for it.
#pragma once

#include <string_view>

namespace simulation {

/// In a file of a project, and never approved: nothing of it is started.
inline constexpr const char* foreign_server = "foreign";
/// A person has to agree to each call of its tool `write`.
inline constexpr const char* confirmed_server = "c";

/// A program may announce calls of it, and a person agrees to so many at once.
inline constexpr const char* confirmed_tool = "mcp__c__write";
/// To which all calls that need it are agreed.
inline constexpr unsigned all_agreed = 1'000;

} // namespace simulation
