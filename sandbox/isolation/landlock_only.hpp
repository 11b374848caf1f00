// A guest without namespaces: started on the host by guest-init, which Landlock and seccomp then wall in.
//
// A box names things by their paths inside of it. Here they have those of the host: a path counts, in the command and
// the environment, where a text begins or after one of `=` `,` `:`, and what is below a mount moves with it. Links are
// the host's own. There is no temp folder, no network, and only one process.
#pragma once

#include "sandbox/isolation/box.hpp"

namespace sandbox {

/// The fault says which part of `what` can not be had without namespaces, or what an unprivileged guest can not read.
msg::outcome<prepared_box> prepare_landlock_only(const box& what, const isolation_tools& tools);

} // namespace sandbox
