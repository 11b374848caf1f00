// `code-executor serve`: an MCP server on stdin and stdout, until stdin ends or a signal comes, and over HTTP.
#pragma once

#include "actors/bridge/http_front.hpp"
#include "config/environment.hpp"
#include "config/settings.hpp"

#include <optional>

namespace cli {

/// `http`: where to listen; nothing: nowhere. With it, a stdin on which no client has spoken ends nothing. The exit
/// code: 0 after an orderly end, 2 when a setting is wrong, or nothing can be listened on there.
int serve(const config::environment& environment, const config::settings& settings,
          const config::variable_lookup& variables, std::optional<bridge::http_address> http);

} // namespace cli
