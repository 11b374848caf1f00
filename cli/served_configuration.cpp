#include "cli/served_configuration.hpp"

#include "actors/bridge/background.hpp"
#include "catalog/pinning/entries.hpp"
#include "cli/probe.hpp"
#include "config/server_reload.hpp"

#include <chrono>
#include <memory>
#include <utility>

namespace cli {

namespace {

/// The first look would hold up the client's first answers.
constexpr std::chrono::milliseconds first_look_delay{50};

std::vector<std::string> watched_places(const config::environment& env, const std::string& state_folder) {
  auto places = config::watched_places(env);
  if (auto approved = tool_pinning::approved_entries::path_in(state_folder); !approved.empty())
    places.push_back(std::move(approved)); // what is approved changes the servers as well
  return places;
}

actors::seen_places see(std::vector<std::string> places) {
  actors::seen_places seen;
  seen.stamps.reserve(places.size());
  for (auto& place : places)
    seen.stamps.push_back(process::stamp_of(place));
  seen.paths = std::move(places);
  return seen;
}

} // namespace

served_configuration::served_configuration(const config::environment& env, const config::settings& settings)
  : environment_(env),
    state_folder_(settings.state_folder),
    settings_file_(settings.file),
    writable_(settings.security.allow_write),
    seen_(see(watched_places(env, settings.state_folder))),
    servers_(find_servers(env, settings.state_folder)) {}

/// Which port it is may be known only when it is listened on, long after the first look.
void served_configuration::serve_at(config::own_endpoint own) {
  own_ = std::move(own);
  servers_ = find_servers(environment_, state_folder_, nullptr, {}, own_);
}

actors::configuration_options
served_configuration::plan(bridge::dependencies& w,
                           std::function<msg::server_entries(const config::server_list&)> prepare) {
  actors::configuration_options o;
  o.places = [env = environment_, folder = state_folder_] { return watched_places(env, folder); };
  o.seen_at_start = seen_;
  o.settings_file = settings_file_;
  o.watch = bridge::make_file_watching(w);
  o.stamp = process::stamp_of;
  o.offload = bridge::make_vital_work(w);
  auto start = std::make_shared<const start_of_serving>(servers_, writable_);
  o.read = [env = environment_, folder = state_folder_, own = own_, start](const config::server_list& before) {
    return find_servers(env, folder, start.get(), before, own);
  };
  o.in_force = [this]() -> const config::server_list& { return servers_; };
  o.set_in_force = [this](config::server_list now) { servers_ = std::move(now); };
  o.prepare = std::move(prepare);
  o.first_delay = first_look_delay;
  return o;
}

} // namespace cli
