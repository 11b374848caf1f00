// The names of outputs: short enough to be typed, and not to be guessed.
#pragma once

#include <string>
#include <string_view>

namespace artifacts {

/// "out_" and 50 random bits in ten letters and digits. Empty: the kernel gives no random bytes.
std::string new_handle();

/// Whether it has that form. What has it is also safe as the name of a file.
bool is_handle(std::string_view text);

} // namespace artifacts
