// The plan of faults that the settings name, ready to be injected.
#pragma once

#include "config/environment.hpp"
#include "config/settings.hpp"
#include "faults/injector.hpp"
#include "faults/plan.hpp"
#include "messages/errors.hpp"

#include <memory>
#include <optional>
#include <string>

namespace cli {

/// Of a file. The fault says what is wrong with it, and in which line.
msg::outcome<faults::plan> read_plan_file(const std::string& path);

/// Of the settings; nothing: they have none.
msg::outcome<std::optional<faults::plan>> plan_of(const config::settings& settings);

/// Null: no faults are injected, and no run may have any. A plan that is in force is logged.
msg::outcome<std::shared_ptr<faults::injector>> injector_of(const config::settings& settings,
                                                            const config::variable_lookup& variables);

} // namespace cli
