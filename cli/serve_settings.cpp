#include "cli/serve_settings.hpp"

#include "actors/bridge/background.hpp"
#include "actors/bridge/factories.hpp"
#include "actors/bridge/server_logins.hpp"
#include "audit/line.hpp"
#include "cli/dependencies.hpp"
#include "faults/injector.hpp"
#include "messages/limits.hpp"
#include "process/available_memory.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <thread>
#include <unistd.h>

namespace cli {

namespace limits = msg::limits;

actors::connector_options connector_of(bridge::dependencies& all, const config::settings& settings) {
  auto& s = settings.servers;
  actors::connector_options o;
  o.connect = bridge::make_connection_factory(all);
  o.log_in = bridge::make_login_factory(all, settings.runs.question_wait);
  o.eras = bridge::make_era_memory(settings.state_folder);
  o.offload = bridge::make_background_work(all);
  o.offload_of_server = [&all] { return bridge::make_background_work(all); };
  o.jitter_seed = static_cast<uint64_t>(::getpid());
  o.limits = {{s.failures_max, s.failure_window, s.open_for}, s.starts_per_minute, s.idle, s.calls_max, s.start};
  o.running_max = s.running_max;
  o.policy = settings.security.tools;
  if (settings.security.pins == config::pin_policy::block)
    o.unreviewed = actors::unreviewed_tools::refused;
  if (settings.rates.enabled)
    o.rates = {settings.rates.per_server, settings.rates.per_tool};
  return o;
}

actors::audit_log_options record_of(bridge::dependencies& all, const config::settings& settings) {
  actors::audit_log_options record;
  record.events_max = limits::audit_queue_max;
  record.bytes_max = limits::audit_queue_bytes_max;
  if (!settings.audit.enabled)
    return record;
  audit::log_options log;
  log.where = audit::place_of(settings.audit.path, settings.state_folder);
  log.retention_days = settings.audit.retention_days;
  log.process = audit::new_process_id();
  log.key = audit::key_file(settings.state_folder);
  record.place = log.where.file.empty() ? log.where.folder : audit::path_of(log.where, log.where.file);
  if (!settings.audit.path.empty()) // it may be where programs may write
    audit::make_place(log.where);
  record.write = bridge::make_background_audit(all, std::move(log));
  return record;
}

namespace {

/// Left for others: with less, no guest waits.
constexpr uint64_t memory_left_min = 512ull << 20U;
/// What one that waits holds, with its pages of files.
constexpr uint64_t typescript_guest_bytes = 64ull << 20U, python_guest_bytes = 16ull << 20U;

std::string check_plan_of_run(const msg::document& plan) { return faults::read_run_plan(plan).told(); }

/// Says so in the log when it becomes low.
std::function<actors::memory_room()> room_for(msg::language lang) {
  auto price = lang == msg::language::typescript ? typescript_guest_bytes : python_guest_bytes;
  return [price, was_low = false]() mutable {
    auto left = process::available_memory();
    auto is_low = left < memory_left_min;
    if (is_low && !was_low)
      spdlog::info("{} MiB of memory are left here: no guest is kept ready, and runs wait for one to start",
                   left >> 20U);
    was_low = is_low;
    if (is_low)
      return actors::memory_room::low;
    return left - memory_left_min < price ? actors::memory_room::enough : actors::memory_room::plenty;
  };
}

} // namespace

surface::run_limits run_limits_of(const config::settings& settings) {
  using config::bridge_output;
  auto form =
    settings.bridge.output == bridge_output::toon ? surface::output_format::toon : surface::output_format::usual;
  auto& runs = settings.runs;
  return {{runs.timeout, runs.timeout_max},
          {settings.bridge.timeout, settings.bridge.timeout_max},
          runs.code_bytes_max,
          form,
          settings.faults.of_runs ? check_plan_of_run : nullptr};
}

artifacts::store_options kept_artifacts(const config::settings& settings) {
  auto folder = settings.state_folder.empty() ? std::string{} : settings.state_folder + "/outputs";
  return {folder, std::chrono::duration_cast<std::chrono::seconds>(settings.outputs.ttl), settings.outputs.bytes_max};
}

actors::sandbox_pool_options pool_of(bridge::dependencies& all, const config::settings& settings, msg::language lang) {
  actors::sandbox_pool_options pool;
  pool.lang = lang;
  pool.start = bridge::make_guest_factory(all);
  pool.size = problem_of(all, lang).empty() ? settings.sandbox.pool_size : 0;
  pool.size_max = settings.sandbox.pool_max;
  pool.idle_after = settings.sandbox.pool_idle;
  pool.starts_max = std::max(1u, std::thread::hardware_concurrency());
  pool.room = room_for(lang);
  if (auto* from = all.template_of(lang)) {
    pool.guest_template = [from] { return from->status(); };
    pool.is_preparing = [&all, lang] { return bridge::is_template_starting(all, lang); };
  }
  return pool;
}

surface::shown_tools surface_of(const config::settings& settings) {
  switch (settings.clients.surface) {
    case config::shown_tools::code: break;
    case config::shown_tools::discovery: return surface::shown_tools::discovery;
    case config::shown_tools::bridge: return surface::shown_tools::bridge;
    case config::shown_tools::all: return surface::shown_tools::all;
  }
  return surface::shown_tools::code;
}

std::string cache_folder(const config::settings& settings) {
  if (::geteuid() == 0)
    return "/var/cache/code-executor";
  return settings.state_folder.empty() ? std::string{} : settings.state_folder + "/cache";
}

} // namespace cli
