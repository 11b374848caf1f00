// What the commands end with besides EXIT_SUCCESS and EXIT_FAILURE.
#pragma once

namespace cli {

inline constexpr int exit_wrong_use = 2;
inline constexpr int exit_wrong_settings = 2;
/// As the shell has it for SIGINT: what is printed is not all.
inline constexpr int exit_interrupted = 130;

} // namespace cli
