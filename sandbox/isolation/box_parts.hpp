// What a launch with namespaces and one without have in common.
#pragma once

#include "sandbox/isolation/box.hpp"

#include <string>

namespace sandbox {

/// Nobody: owns nothing on any system.
inline constexpr uid_t nobody = 65534;

/// For `process::launch::user`: as root guests are nobody, even if they break out of everything else.
uid_t guest_user();

/// Whose files a guest may change the rights of.
uid_t uid_of_guests();

/// The first folder above that real path that guests can not walk through; empty: none, or we are not root.
std::string folder_closed_to_guests(const std::string& real);

/// As root, guests are nobody, and so is bubblewrap, which has to walk to what it mounts. What stands in their way, and
/// what to do about it; empty: nothing, or we are not root.
std::string closed_to_guests(const std::string& path);

/// Gives the launch one more descriptor; the result is its number in the guest-init that is launched.
int hand_over(prepared_box& out, process::descriptor source);

process::descriptor duplicate(const process::descriptor& of);

/// What `m` mounts, as a descriptor of our own: it must stay open until the launch, the mount need not. None: errno
/// says why.
process::descriptor open_source(const mount& m);

/// Arguments of guest-init.
void add_limits(process::c_texts& arguments, const box& what);
void add_filter(process::c_texts& arguments, const isolation& isolated, prepared_box& out);

} // namespace sandbox
