// A virtual environment of the user, whose packages programs may import.
#pragma once

#include "messages/errors.hpp"
#include "sandbox/isolation/box.hpp"
#include "sandbox/runtimes/interpreter.hpp"

#include <string>

namespace sandbox {

/// Whether there is one. The fault names the setting.
msg::fault check_venv(const std::string& folder);

/// Makes its packages visible, read-only and where they are on the host; with --system-site-packages also those of the
/// interpreter; and what packages of the system need besides: library links, fonts, the data of matplotlib. The fault
/// says why the packages can not be used by this interpreter, or not by guests.
msg::fault add_venv(box& to, const std::string& folder, const interpreter& python);

} // namespace sandbox
