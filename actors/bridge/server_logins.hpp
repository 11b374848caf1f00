// Logins at servers as this process carries them out, and where they are.
#pragma once

#include "actors/bridge/factories.hpp"
#include "actors/child/asked_logins.hpp"
#include "config/http_launch.hpp"
#include "login/environment.hpp"

#include <chrono>
#include <string>

namespace bridge {

/// Of an entry whose requests may say who we are by a login.
login::target login_target(std::string server, config::http_launch launch);
login::environment login_environment(dependencies& w);

/// The same login as that of `code-executor login`, but that no browser is opened. `patience`: for the person.
child::login_factory make_login_factory(dependencies& w, std::chrono::milliseconds patience);

} // namespace bridge
