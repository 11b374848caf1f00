// The memory snapshot from which Pyodide starts in a fraction of the time. It is made once per machine, by a guest
// without user code, and belongs to exactly these files: a cache keeps it under a digest of `pyodide_files`.
#pragma once

#include "sandbox/box.hpp"

#include <string>
#include <vector>

namespace sandbox {

/// Where the folder with the snapshot is mounted, in the box that makes it and in those that use it.
inline constexpr const char* pyodide_cache = "/cache";

/// The files and folders of the host that decide what a snapshot holds.
std::vector<std::string> pyodide_files(const box& guest);

/// The box that makes a snapshot for `guest`, which find_pyodide gave: it writes into `folder` and ends, with status 0
/// if the snapshot is there.
box pyodide_snapshot_maker(const box& guest, const std::string& folder);

/// Lets `guest` start from the snapshot in `folder`.
void use_pyodide_snapshot(box& guest, const std::string& folder);

} // namespace sandbox
