// Characters of which a reader sees nothing, or takes them for others.
#pragma once

#include <cstdint>

namespace text {

/// Controls, blanks that are none or look like the usual one, what turns or hides text, and what is no character: how
/// an instruction is put where only a model reads it. Not the usual blank.
bool is_unseen(uint32_t code_point);

} // namespace text
