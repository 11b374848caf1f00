#include "setup/settings_text.hpp"

#include "config/edits/value_text.hpp"

#include <algorithm>
#include <string_view>

namespace setup {

namespace {

constexpr std::string_view keys_of_providers = "sampling.apiKeys.";

std::string in_capitals(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  return text;
}

/// Its usual value, or what one may look like.
std::string example_of(const config::setting_entry& entry) {
  if (entry.path.starts_with(keys_of_providers))
    return "\"env:" + in_capitals(entry.path.substr(keys_of_providers.size())) + "_API_KEY\"";
  auto* type = entry.schema.if_contains("type");
  bool is_list = type && type->is_string() && type->get_string() == "array";
  bool is_text = type && type->is_string() && type->get_string() == "string";
  if (!entry.standard.is_null())
    return edits::json_line(entry.standard);
  return is_list ? "[]" : is_text ? "\"\"" : "null";
}

/// Lines of comments within the braces of a file.
class explanation {
public:
  /// Closes the sections that the setting is not in, and opens those that it is in.
  void go_to(std::string_view path) {
    std::vector<std::string> wanted;
    for (auto dot = path.find('.'); dot != path.npos; dot = path.find('.')) {
      wanted.emplace_back(path.substr(0, dot));
      path.remove_prefix(dot + 1);
    }
    auto same = std::mismatch(open_.begin(), open_.end(), wanted.begin(), wanted.end()).first - open_.begin();
    while (open_.size() > static_cast<size_t>(same)) {
      open_.pop_back();
      line("},");
    }
    while (open_.size() < wanted.size()) {
      line("\"" + wanted[open_.size()] + "\": {");
      open_.push_back(wanted[open_.size()]);
    }
  }

  void line(const std::string& text) { out_ += "  // " + std::string(open_.size() * 2, ' ') + text + "\n"; }
  std::string text() && { return std::move(out_); }

private:
  std::vector<std::string> open_;
  std::string out_;
};

} // namespace

std::string explained_settings(const std::vector<config::setting_entry>& entries) {
  explanation out;
  std::vector<const config::setting_entry*> ordered;
  for (auto& entry : entries)
    if (!entry.path.empty())
      ordered.push_back(&entry);
  std::stable_sort(ordered.begin(), ordered.end(), [](auto* a, auto* b) { return a->path < b->path; });
  for (auto* entry : ordered) {
    out.go_to(entry->path);
    out.line("// " + entry->about);
    out.line("\"" + entry->path.substr(entry->path.rfind('.') + 1) + "\": " + example_of(*entry) + ",");
  }
  out.go_to("");
  return "// Settings of code-executor, all as they are without this file. Take the // away from what you want to "
         "set,\n"
         "// and from the section that it stands in. `code-executor config check` says whether it is right.\n{\n"
         + std::move(out).text() + "}\n";
}

} // namespace setup
