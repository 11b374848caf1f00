// What to do about a lack of descriptors, for errors that say so.
#pragma once

#include <string>
#include <system_error>

namespace process {

/// "Too many open files; raise the limit ...": what the system says of an errno, and the next step where descriptors
/// lack.
std::string error_text(int error);
/// Likewise, with what the exception says.
std::string error_text(const std::system_error& failed);

/// Lacks that may be over in a moment: of descriptors, memory or places in the kernel; or a signal came in between.
bool is_of_the_moment(int error);

} // namespace process
