// Tools that say of themselves that another should be used.
#pragma once

#include <string_view>

namespace tool_search {

/// Whether the description calls the tool itself deprecated or obsolete, and not something that the tool deals with:
/// "DEPRECATED: Use read_text_file instead", "[Deprecated]", "This tool is deprecated"; not "Finds deprecated
/// packages".
bool calls_itself_deprecated(std::string_view description);

} // namespace tool_search
