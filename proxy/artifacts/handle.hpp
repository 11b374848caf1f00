// The names of outputs: short enough to be typed, and not to be guessed.
#pragma once

#include <string>
#include <string_view>

namespace artifacts {

/// "out_" and 50 random bits in ten letters and digits. Empty: the kernel gives no random bytes.
std::string new_handle();

/// The same for an owner that has a name (see msg::run_request::owner): five more that stand for it.
std::string owned(std::string handle, std::string_view owner);
/// The five that stand for its owner; empty: of one without a name. Not to be asked of what is no handle.
std::string_view owner_of(std::string_view handle);
/// Whether it is one for that owner.
bool is_handle_of(std::string_view handle, std::string_view owner);

/// Whether it has that form. What has it is also safe as the name of a file.
bool is_handle(std::string_view text);

} // namespace artifacts
