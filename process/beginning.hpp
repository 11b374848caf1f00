// What a process inherits of the process that starts it, and what we make of it.
#pragma once

namespace process {

/// First of all in main(), before there is a second thread or a descriptor of ours:
/// - signals: none is blocked; the end of a child is told (a parent that ignores SIGCHLD leaves us no child to wait
/// for); a pipe that no
///   process reads and a file over its limit are errors of that write, not our end;
/// - descriptors 0 to 2 are open, so that no pipe of ours gets such a number;
/// - we may have as many descriptors as the hard limit says.
void begin_process();

/// In a child, before it becomes its program: the limit on descriptors that we were started with. A system call, no
/// allocation.
void return_open_files() noexcept;

} // namespace process
