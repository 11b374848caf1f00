#include "cli/browser.hpp"

#include "config/entry_variables.hpp"
#include "http/field_text.hpp"
#include "process/child.hpp"
#include "process/find_executable.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace cli {

namespace {

/// How programs find the screen and the session of the person.
constexpr std::array<std::string_view, 10> desktop_variables{
  "DISPLAY",         "WAYLAND_DISPLAY",  "XAUTHORITY",
  "XDG_RUNTIME_DIR", "XDG_SESSION_TYPE", "XDG_CURRENT_DESKTOP",
  "XDG_DATA_DIRS",   "XDG_CONFIG_DIRS",  "DBUS_SESSION_BUS_ADDRESS",
  "WSL_DISTRO_NAME"};

/// Of a list with colons the first counts.
std::string find_browser(const config::variable_lookup& variables) {
  auto path = variables("PATH");
  auto named = variables("BROWSER");
  named.resize(std::min(named.find(':'), named.size()));
  auto found = named.empty() ? std::string{} : process::find_executable(named, path, "/");
  return found.empty() ? process::find_executable("xdg-open", path, "/") : found;
}

} // namespace

bool open_browser(const std::string& url, const config::variable_lookup& variables) {
  auto browser = http::is_web(url) ? find_browser(variables) : std::string{};
  if (browser.empty())
    return false;
  process::launch what;
  what.argv = {browser, url};
  auto add = [&](std::string_view name) {
    if (auto value = variables(name); !value.empty())
      what.environment.push_back(std::string{name} + "=" + value);
  };
  for (auto name : config::inherited_variables)
    add(name);
  for (auto name : desktop_variables)
    add(name);
  return process::start_detached(what);
}

} // namespace cli
