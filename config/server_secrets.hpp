// What of a server no reader is told, whatever carries it.
#pragma once

#include "config/environment.hpp"
#include "messages/servers.hpp"

#include <string>
#include <vector>

namespace config {

/// What its connection masks (make_launch(), make_http_launch()), but for what a login has brought. None of a server
/// that can not be started or reached: nothing comes from there.
std::vector<std::string> secrets_of(const msg::server_entry& entry, const environment& env,
                                    const variable_lookup& variable);

} // namespace config
