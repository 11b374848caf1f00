#include "cli/fault_plan.hpp"

#include "config/config_file.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

namespace cli {

namespace {

/// `beneath`: where the plan stands in the file; empty: it is the whole.
msg::outcome<faults::plan> taken(faults::plan_reading reading, const std::string& path, const std::string& beneath) {
  if (reading.ok())
    return std::move(reading.plan);
  auto part = beneath + (beneath.empty() || reading.part.empty() ? "" : ".") + reading.part;
  auto file = config::config_file::read(path);
  return msg::fault{msg::errc::invalid_argument,
                    file.place(part) + ": " + (part.empty() ? "" : "'" + part + "': ") + reading.problem};
}

/// In the plan or one of its rules; empty: none is.
std::string repeated_key(const config::config_file& file) {
  auto repeated = file.repeated_key("");
  auto* object = file.root().if_object();
  auto* rules = object ? object->if_contains("rules") : nullptr;
  auto count = rules && rules->is_array() ? std::min(rules->get_array().size(), faults::rules_max) : 0;
  for (size_t i = 0; i < count && repeated.empty(); ++i)
    repeated = file.repeated_key("rules[" + std::to_string(i) + "]");
  return repeated;
}

} // namespace

msg::outcome<faults::plan> read_plan_file(const std::string& path) {
  auto file = config::config_file::read(path);
  if (!file.exists())
    return msg::fault{msg::errc::invalid_argument, "there is no plan of faults at " + path};
  if (file.error().code != msg::errc::none)
    return file.error();
  if (auto repeated = repeated_key(file); !repeated.empty())
    return msg::fault{msg::errc::invalid_argument, std::move(repeated)};
  return taken(faults::read_plan(msg::document{file.root()}), path, {});
}

msg::outcome<std::optional<faults::plan>> plan_of(const config::settings& settings) {
  auto& from = settings.faults;
  if (from.file.empty() && from.plan.value().is_null())
    return std::optional<faults::plan>{};
  auto plan =
    from.file.empty() ? taken(faults::read_plan(from.plan), settings.file, "faults") : read_plan_file(from.file);
  if (!plan.ok())
    return std::move(plan.error);
  return std::optional{std::move(plan.value)};
}

msg::outcome<std::shared_ptr<faults::injector>> injector_of(const config::settings& settings,
                                                            const config::variable_lookup& variables) {
  auto plan = plan_of(settings);
  if (!plan.ok())
    return std::move(plan.error);
  if (plan.value)
    spdlog::warn("faults are injected on purpose: {} rules of {}, seed {}", plan.value->rules.size(),
                 settings.faults.file.empty() ? settings.file : settings.faults.file, plan.value->seed);
  if (!plan.value && !settings.faults.of_runs)
    return std::shared_ptr<faults::injector>{};
  auto trace = variables("CODE_EXECUTOR_FAULTS_TRACE"); // of `faults run`, which judges by it
  return std::make_shared<faults::injector>(std::move(plan.value),
                                            trace.empty() ? nullptr : faults::trace_writer::open(trace));
}

} // namespace cli
