// Whether there is anything in a text that the content filter knows: for those who keep texts, and not these.
#pragma once

#include <string_view>

namespace content_filter {

/// Of any class: secrets and personal data. Linear in time.
bool knows_content(std::string_view text);

} // namespace content_filter
