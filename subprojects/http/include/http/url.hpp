// Addresses that a server names, seen from the one that it was asked at.
#pragma once

#include <string>
#include <string_view>

namespace http {

/// Where `reference` (a Location, a path) leads from `base`, if that is the same server: scheme, name and port.
/// Empty: it leads elsewhere, or one of them is no address of http or https.
std::string same_origin_url(std::string_view base, std::string_view reference);

} // namespace http
