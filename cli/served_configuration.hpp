// Which servers are in force while we serve, and what the actor that follows their files needs.
#pragma once

#include "actors/bridge/factories.hpp"
#include "actors/configuration.hpp"
#include "config/server_list.hpp"
#include "config/settings.hpp"

#include <functional>
#include <string>
#include <vector>

namespace cli {

/// Outlives the actors; on the main thread.
class served_configuration {
public:
  /// Reads the files.
  served_configuration(const config::environment& env, const config::settings& settings);

  /// Where this process serves over HTTP: entries that lead there are left out from now on. Before plan().
  void serve_at(config::own_endpoint own);
  const config::server_list& servers() const { return servers_; }
  /// For the actor; `prepare` is that of configuration_options.
  actors::configuration_options plan(bridge::dependencies& w,
                                     std::function<msg::server_entries(const config::server_list&)> prepare);

private:
  config::environment environment_;
  std::string state_folder_, settings_file_;
  std::vector<std::string> writable_; ///< security.allowWrite
  actors::seen_places seen_;          ///< before they were read
  config::own_endpoint own_;          ///< nowhere, unless serve_at() says it
  config::server_list servers_;
};

} // namespace cli
