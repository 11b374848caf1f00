#include "cli/setup_keys.hpp"

#include "config/clients.hpp"
#include "config/edits/entry_edit.hpp"
#include "config/secrets.hpp"
#include "setup/settings_text.hpp"
#include "setup/user_file.hpp"
#include "text/nearest.hpp"

#include <boost/json/object.hpp>

#include <algorithm>
#include <string_view>
#include <utility>

namespace cli {

namespace json = boost::json;
using msg::errc;
using msg::fault;

namespace {

constexpr std::string_view keys_path = "sampling.apiKeys.";
constexpr std::string_view by_variable = "env:";
constexpr size_t variable_bytes_max = 256;

fault wrong(const std::string& why) { return {errc::invalid_argument, why}; }

std::vector<std::string> known_providers() {
  std::vector<std::string> out;
  for (auto& entry : config::declared_settings())
    if (entry.path.starts_with(keys_path))
      out.push_back(entry.path.substr(keys_path.size()));
  std::sort(out.begin(), out.end());
  return out;
}

std::string joined_names(const std::vector<std::string>& names) {
  std::string out;
  for (auto& name : names)
    out.append(out.empty() ? "" : ", ").append(name);
  return out;
}

bool is_name(std::string_view text) {
  constexpr std::string_view parts = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";
  return !text.empty() && text.size() <= variable_bytes_max && text.find_first_not_of(parts) == text.npos
         && (text[0] < '0' || text[0] > '9');
}

const edits::server_place& place_of_keys() {
  static const edits::server_place place{{"sampling"}};
  return place;
}
constexpr const char* keys_name = "apiKeys";

} // namespace

msg::outcome<provider_key> parse_provider_key(const std::string& words, const config::variable_lookup& variables) {
  constexpr auto never = "a key is never written down: put it into an environment variable, and give its name, as in "
                         "anthropic=env:ANTHROPIC_API_KEY";
  auto equals = words.find('=');
  if (equals == words.npos)
    return wrong(std::string{"what is wanted is PROVIDER=env:NAME; "} + never);
  provider_key out{words.substr(0, equals), {}};
  auto known = known_providers();
  if (std::find(known.begin(), known.end(), out.provider) == known.end()) {
    auto near = text::nearest(out.provider, {known.begin(), known.end()}, 1);
    return wrong("no provider of that name is known"
                 + (near.empty() ? "" : "; did you mean '" + std::string{near.front()} + "'?") + "; known are "
                 + joined_names(known));
  }
  auto value = std::string_view{words}.substr(equals + 1);
  if (!value.starts_with(by_variable))
    return wrong("the key of " + out.provider + " is no env:NAME; " + never);
  out.variable = value.substr(by_variable.size());
  if (!is_name(out.variable) || config::looks_secret(out.variable))
    return wrong("what is behind env: for " + out.provider + " is no name of a variable, or looks like a key itself; "
                 + never);
  if (variables(out.variable).empty())
    return wrong("the variable " + out.variable
                 + " is not set here, and with settings that name it the server would not start; set it first, also "
                   "where your clients start");
  return out;
}

std::string settings_path(const config::environment& env) { return env.home + "/.code-executor.json"; }

msg::outcome<std::optional<setup::file_change>> change_settings(const config::environment& env,
                                                                const config::settings& settings, settings_wish wish,
                                                                const std::vector<provider_key>& keys) {
  bool is_new = settings.file.empty();
  bool is_wanted = !keys.empty() || (is_new && wish == settings_wish::explain);
  if (!is_wanted || (is_new && env.home.empty()))
    return std::optional<setup::file_change>{};
  setup::user_file now;
  now.path = settings_path(env);
  if (!is_new)
    now = setup::read_user_file(config::absolute(env, settings.file));
  if (now.error.code != errc::none)
    return std::move(now.error);
  auto text = is_new ? setup::explained_settings(config::declared_settings()) : now.text;
  json::object entry;
  for (auto& [provider, variable] : keys)
    entry[provider] = std::string{by_variable} + variable;
  if (!entry.empty()) {
    auto edited = edits::put_entry(config::file_format::json, text, place_of_keys(), keys_name, entry);
    if (!edited.ok())
      return fault{edited.error.code, now.path + ": " + edited.error.message};
    text = std::move(edited.value.text);
  }
  if (!is_new && text == now.text)
    return std::optional<setup::file_change>{};
  setup::file_change out{now.path, now.content(), now.mark + text};
  if (!is_new)
    out.list = place_of_keys();
  return std::optional{std::move(out)};
}

} // namespace cli
