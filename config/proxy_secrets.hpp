// What of the proxies of the environment no client or log is told.
#pragma once

#include "config/environment.hpp"

#include <string>
#include <vector>

namespace config {

/// Of those that libcurl looks for (`http_proxy`, `HTTPS_PROXY`, ...): their addresses if there is a user in them, the
/// user, the password, and what a proxy is told of both (Proxy-Authorization), which it may say again.
std::vector<std::string> proxy_secrets(const variable_lookup& variable);

} // namespace config
