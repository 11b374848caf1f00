// How an entry says that its server wants a login (OAuth 2.1).
#pragma once

#include "config/entry_fields.hpp"
#include "messages/servers.hpp"

namespace config {

/// `oauth`, in our words and in those of the clients; `auth` of Cursor. Also `oauth: false`.
void read_login(entry_fields& fields, msg::login_settings& to);

} // namespace config
