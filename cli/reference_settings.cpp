#include "cli/markdown.hpp"
#include "cli/reference_parts.hpp"
#include "config/clients.hpp"
#include "config/settings.hpp"
#include "sampling/provider.hpp"
#include "text/json_text.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <map>

namespace cli {

namespace json = boost::json;

namespace {

/// Those that are no settings: they are read before there are any, or belong to clients.
constexpr std::pair<const char*, const char*> other_variables[]{
  {"CODE_EXECUTOR_CONFIG_PATH", "the settings file; no other is looked for then"},
  {"CONNECTED_SERVERS", "names of servers, separated by commas: they are started at once, all others when they are "
                        "needed"},
  {"HOME", "where settings, the state folder and the files of clients are"},
  {"PATH", "where commands are looked for; folders in it that are not absolute do not count"},
  {"BROWSER", "what `login` opens an address with"},
  {"http_proxy", "by which servers with an `http:` address, and models, are reached"},
  {"https_proxy", "the same for `https:`; also `HTTPS_PROXY`"},
  {"all_proxy", "the same for both; also `ALL_PROXY`"},
  {"no_proxy", "hosts that are reached without; also `NO_PROXY`"},
  {"NO_COLOR", "anything: terminals get no colours; `TERM=dumb` says the same"},
};

std::string told_value(const json::value& value) { return markdown_code(text::to_text(value)); }

std::string values_of(const json::object& schema); // NOLINT(misc-no-recursion)

/// What any one of them accepts.
std::string any_of(const json::array& all) { // NOLINT(misc-no-recursion)
  std::string out;
  for (auto& each : all)
    out += (out.empty() ? "" : ", or ") + values_of(each.as_object());
  return out;
}

std::string described(const json::object& schema, const char* otherwise) {
  auto* about = schema.if_contains("description");
  return about ? markdown_text(about->as_string()) : std::string{otherwise};
}

std::string range_of(const json::object& schema) {
  auto &least = schema.at("minimum"), &most = schema.at("maximum");
  return least == most ? text::to_text(least) : text::to_text(least) + " to " + text::to_text(most);
}

std::string values_of(const json::object& schema) { // NOLINT(misc-no-recursion): as deep as the schema of a setting
  if (auto* all = schema.if_contains("anyOf"))
    return any_of(all->as_array());
  if (auto* only = schema.if_contains("const"))
    return text::to_text(*only);
  if (auto* names = schema.if_contains("enum")) {
    std::string out;
    for (auto& name : names->as_array())
      out += (out.empty() ? "" : ", ") + markdown_code(name.as_string());
    return out;
  }
  if (schema.contains("minimum"))
    return range_of(schema) + (schema.at("type").is_array() ? ", or a text such as `512m`" : "");
  auto type = schema.at("type").as_string();
  if (type == "boolean")
    return "`true`, `false`";
  if (type == "array")
    return "a list, each " + described(schema.at("items").as_object(), "a text");
  if (type != "object")
    return described(schema, "a text");
  return schema.contains("properties") ? "an object with such a list for each" : "an object";
}

} // namespace

std::string settings_reference() {
  std::string out = "# Every setting\n\nThe keys of the settings file ([settings.md](../settings.md) says where it is, "
                    "and tells more of each); a dot stands for an\nobject in an object. A variable counts before the "
                    "file. Instead of any value there may be `\"env:NAME\"`.\n\n";
  out += markdown_head({"key", "takes", "default", "what it is for", "variable"});
  for (auto& e : config::declared_settings()) {
    if (e.path.empty())
      continue;
    auto about = markdown_text(e.about) + (e.also.empty() ? "" : "; also " + markdown_code(e.also));
    bool has_default = !e.standard.is_null() && !(e.standard.is_array() && e.standard.get_array().empty());
    out += markdown_row({markdown_code(e.path), values_of(e.schema), has_default ? told_value(e.standard) : "", about,
                         e.variable.empty() ? "" : markdown_code(e.variable)});
  }
  return out;
}

std::string variables_reference() {
  std::map<std::string, std::string> rows; // by name
  auto add = [&rows](const std::string& name, const std::string& key, const std::string& about) {
    rows.try_emplace(name, markdown_row({markdown_code(name), key.empty() ? "" : markdown_code(key), about}));
  };
  for (auto& e : config::declared_settings())
    if (!e.variable.empty())
      add(e.variable, e.path, markdown_text(e.about));
  for (auto who : sampling::all_providers)
    if (auto* variable = sampling::base_url_variable(who))
      add(variable, "sampling.baseUrl",
          "where " + std::string{sampling::title_of(who)} + " is to be found, if its key is in a variable too");
  for (auto& [name, about] : other_variables)
    add(name, "", about);
  for (auto* name : config::place_variables())
    add(name, "", "moves files that list servers, see [servers.md](../servers.md)");
  std::string out = "# Every environment variable\n\nEach counts before the key of the settings file that it stands "
                    "for. In entries of servers, and behind `env:` in settings, any\nother may be named "
                    "([servers.md](../servers.md#variables)).\n\n"
                    + markdown_head({"variable", "key", "what it is for"});
  for (auto& [name, row] : rows)
    out += row;
  return out;
}

} // namespace cli
