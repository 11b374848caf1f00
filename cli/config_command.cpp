#include "cli/config_command.hpp"

#include "cli/colours.hpp"
#include "cli/exit_codes.hpp"
#include "cli/named_files.hpp"
#include "config/secrets.hpp"
#include "config/settings.hpp"
#include "config/settings_schema.hpp"
#include "text/json_text.hpp"
#include "text/printable.hpp"
#include "text/utf8.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>
#include <unistd.h>
#include <vector>

namespace cli {

namespace json = boost::json;

namespace {

constexpr size_t shown_bytes_max = 500;

std::string name_of(const config::setting_entry& entry) { return entry.path.empty() ? entry.variable : entry.path; }

/// Secrets are not shown wherever they come from.
json::value shown_value(const json::value& value) {
  if (value.is_string() && config::looks_secret(value.get_string()))
    return config::masked_value;
  if (!value.is_array())
    return value;
  json::array out;
  for (auto& item : value.get_array())
    out.push_back(shown_value(item));
  return out;
}

std::string origin_text(const config::setting_entry& entry) {
  std::string out;
  for (auto& from : entry.origins)
    out.append(out.empty() ? "" : ", ").append(from);
  return out.empty() ? "default" : out;
}

/// Indented by two; lists in one line. What would do something to a terminal can only stand in strings, where its
/// escape means the same.
void print(const json::value& value, std::string& to, const std::string& indent = "\n") {
  auto* object = value.if_object();
  if (!object || object->empty()) {
    to += text::printable(text::to_text(value));
    return;
  }
  auto deeper = indent + "  ";
  for (auto& [key, member] : *object) {
    to.append(&member == &object->begin()->value() ? "{" : ",")
      .append(deeper)
      .append(text::printable(json::serialize(key)))
      .append(": ");
    print(member, to, deeper);
  }
  to += indent + "}";
}

void print(json::value document) {
  std::string text;
  print(document, text);
  std::cout << text << "\n";
}

void complain_of_all(const std::vector<msg::fault>& problems) {
  for (auto& p : problems)
    std::cerr << "code-executor: " << text::printable(p.message) << "\n";
}

int check_settings(const config::settings_reading& reading, output_form form) {
  auto all = reading.problems;
  if (all.empty())
    all = problems_of_named_files(reading.values);
  if (form == output_form::json) {
    json::array problems;
    for (auto& p : all)
      problems.push_back(json::string{text::valid_utf8(p.message)});
    print(json::object{{"ok", problems.empty()}, {"file", reading.values.file}, {"problems", std::move(problems)}});
  } else if (all.empty()) {
    std::cout << "the settings are right: "
              << (reading.values.file.empty() ? "no file, the defaults and variables"
                                              : text::printable(reading.values.file))
              << "\n";
  } else {
    complain_of_all(all);
  }
  return all.empty() ? EXIT_SUCCESS : exit_wrong_settings;
}

json::object as_json(const config::settings_reading& reading) {
  json::object all;
  for (auto& e : reading.entries) {
    json::object one{{"value", shown_value(e.value)}};
    json::array from;
    for (auto& origin : e.origins)
      from.push_back(json::string{origin});
    one["from"] = std::move(from);
    one["default"] = e.standard;
    if (!e.path.empty() && !e.variable.empty())
      one["variable"] = e.variable;
    all[name_of(e)] = std::move(one);
  }
  return {{"file", reading.values.file}, {"settings", std::move(all)}};
}

/// What is set comes first in the eye: defaults are dim on a terminal.
std::string as_text(const config::settings_reading& reading, bool colours) {
  size_t width = 0;
  for (auto& e : reading.entries)
    width = std::max(width, name_of(e).size() + 2);
  std::string out =
    "# "
    + (reading.values.file.empty() ? "no settings file; defaults and variables" : text::printable(reading.values.file))
    + "\n";
  for (auto& e : reading.entries) {
    auto name = name_of(e);
    auto value = e.value.is_null() ? "-" : text::quoted(text::to_text(shown_value(e.value)), shown_bytes_max);
    auto line = name;
    line.append(width - name.size(), ' ')
      .append(text::printable(value))
      .append("  # ")
      .append(text::printable(origin_text(e)));
    out += (colours && e.origins.empty() ? "\033[2m" + line + "\033[0m" : line) + "\n";
  }
  return out;
}

int show_settings(const config::settings_reading& reading, output_form form) {
  if (!reading.problems.empty()) {
    complain_of_all(reading.problems);
    return exit_wrong_settings;
  }
  if (form == output_form::json)
    print(as_json(reading));
  else
    std::cout << as_text(reading, has_colours(STDOUT_FILENO));
  return EXIT_SUCCESS;
}

const char* state_of(const std::string& place, const std::string& used) {
  std::error_code ec;
  if (place == used)
    return "used";
  return std::filesystem::exists(place, ec) ? "not used" : "missing";
}

int path(const config::settings_reading& reading, output_form form) {
  json::array places;
  std::string text;
  for (auto& place : reading.values.searched) {
    std::string state = state_of(place, reading.values.file);
    places.push_back(json::object{{"path", place}, {"state", state}});
    text.append(state).append(10 - state.size(), ' ').append(text::printable(place)).append("\n");
  }
  if (form == output_form::json)
    print(json::object{{"file", reading.values.file}, {"searched", std::move(places)}});
  else
    std::cout << text;
  return EXIT_SUCCESS;
}

} // namespace

int config_command(config_action action, const config::environment& environment,
                   const config::variable_lookup& variables, output_form form) {
  if (action == config_action::schema) {
    print(config::settings_schema(config::declared_settings()));
    return EXIT_SUCCESS;
  }
  auto reading = config::read_settings(environment, variables);
  if (action == config_action::path)
    return path(reading, form);
  return action == config_action::check ? check_settings(reading, form) : show_settings(reading, form);
}

} // namespace cli
