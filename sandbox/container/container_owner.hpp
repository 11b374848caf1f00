// Whose a container is: servers that died without a chance to clean up leave theirs to the next one.
#pragma once

#include <string>
#include <string_view>

namespace sandbox {

/// The label that carries owner_of_this_process().
inline constexpr const char* owner_label = "code-executor.owner";

/// "<pid namespace>-<pid>-<start time>": names this process among all that ever ran on this machine.
std::string owner_of_this_process();

/// True only if that server is known to be dead: of an owner in another pid namespace, or of a text that is no owner,
/// nothing is known.
bool owner_is_dead(std::string_view owner);

} // namespace sandbox
