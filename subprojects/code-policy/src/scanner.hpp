// Takes programs apart. Any bytes are accepted; what is no program ends somewhere. Time is linear, nothing recurses.
#pragma once

#include "token.hpp"

#include <string_view>

namespace code_policy {

/// `source` below 4 GiB; it is borrowed.
token_list scan_typescript(std::string_view source);
token_list scan_python(std::string_view source);

} // namespace code_policy
