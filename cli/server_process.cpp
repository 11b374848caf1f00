#include "cli/server_process.hpp"

#include "actors/bridge/ask.hpp"
#include "actors/bridge/background.hpp"
#include "actors/catalog.hpp"
#include "actors/connector.hpp"
#include "cli/dependencies.hpp"
#include "messages/limits.hpp"

#include <caf/all.hpp>

#include <utility>

namespace cli {

namespace limits = msg::limits;

server_process::server_process(const config::environment& env, const config::settings& settings,
                               const config::variable_lookup& variables, std::vector<msg::server_entry> servers)
  : dependencies_(dependencies_of_servers(bridge::reply_port::make(system_), io_, threads_, env, settings, variables)) {
  actors::catalog_options of_catalog;
  of_catalog.carry_out = bridge::make_background_catalog(dependencies_, {}, servers, settings.security);
  of_catalog.requests_max = limits::catalog_requests_max;
  catalog_ = system_.spawn(actors::catalog, std::move(of_catalog));
  actors::connector_options of_connector;
  of_connector.servers = std::move(servers);
  of_connector.connect = bridge::make_connection_factory(dependencies_);
  of_connector.catalog = catalog_;
  connector_ = system_.spawn(actors::connector, std::move(of_connector));
}

void server_process::run_loop() {
  signals_.async_wait([this](asio::error_code ec, int) {
    if (ec)
      return;
    is_interrupted_ = true;
    caf::anon_send(connector_, msg::stop_atom::value);
  });
  io_.run();
  caf::anon_send_exit(connector_, caf::exit_reason::user_shutdown);
  caf::anon_send_exit(catalog_, caf::exit_reason::user_shutdown);
  connector_ = nullptr;
  catalog_ = nullptr;
  let_actors_end();
}

asio::awaitable<void> server_process::end() {
  [[maybe_unused]] auto stopped =
    co_await bridge::ask<bool>(dependencies_.port, connector_, limits::shutdown_max, msg::stop_atom::value);
  io_.stop();
}

} // namespace cli
