#include "cli/word_tree.hpp"

#include <CLI/CLI.hpp>

#include <string_view>

namespace cli {

namespace {

/// The arguments that mean the same in every verb that has them.
value_kind kind_of(const std::string& name, const std::string& value_name) {
  if (name == "server" || name == "--server" || name == "target")
    return value_kind::server;
  if (name == "tool")
    return value_kind::tool;
  if (name == "arguments")
    return value_kind::argument;
  if (value_name == "FOLDER")
    return value_kind::folder;
  bool is_file = value_name == "FILE" || value_name == "PATH" || name == "file" || name == "plan" || name == "path";
  return is_file ? value_kind::file : value_kind::text;
}

/// `TEXT:{fail,call}`: the name of the value, and what it may be.
void read_value(const std::string& type_name, option_words& out) {
  auto end = type_name.starts_with('[') ? type_name.npos : type_name.find(':');
  out.value_name = type_name.substr(0, end);
  if (end == type_name.npos || type_name.compare(end, 2, ":{") != 0 || !type_name.ends_with('}'))
    return;
  for (size_t at = end + 2; at < type_name.size();) {
    auto next = std::min(type_name.find(',', at), type_name.size() - 1);
    out.choices.push_back(type_name.substr(at, next - at));
    at = next + 1;
  }
}

option_words words_of(const CLI::Option& option) {
  option_words out;
  for (auto& name : option.get_snames())
    out.spellings.push_back("-" + name);
  for (auto& name : option.get_lnames())
    out.spellings.push_back("--" + name);
  bool is_positional = out.spellings.empty();
  if (is_positional)
    out.spellings.push_back(option.get_name(true));
  out.about = option.get_description();
  out.is_required = option.get_required();
  if (option.get_items_expected_max() == 0)
    return out;
  read_value(option.get_type_name(), out);
  out.value = kind_of(out.spellings.back(), out.value_name);
  out.may_lack_value = option.get_items_expected_min() == 0;
  out.may_repeat = is_positional && option.get_items_expected_max() > 1;
  return out;
}

} // namespace

verb_words words_of(const CLI::App& app) { // NOLINT(misc-no-recursion): as deep as the verbs are
  verb_words out{app.get_name(), app.get_description(), app.get_footer(), {}, {}, {}};
  for (auto* option : app.get_options()) {
    if (option->get_group().empty())
      continue;
    auto words = words_of(*option);
    (option->get_positional() ? out.positionals : out.options).push_back(std::move(words));
  }
  for (auto* verb : app.get_subcommands([](const CLI::App* each) { return !each->get_group().empty(); }))
    out.verbs.push_back(words_of(*verb));
  return out;
}

} // namespace cli
