#include "setup/client_words.hpp"

#include "config/config_file.hpp"
#include "text/ascii.hpp"
#include "text/utf8.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

namespace setup {

namespace json = boost::json;

namespace {

constexpr size_t shown_key_bytes_max = 100;

/// Those that config/server_entry.cpp and its parts read.
constexpr std::string_view read_keys[] = {"type",
                                          "transportType",
                                          "transport",
                                          "source",
                                          "command",
                                          "cmd",
                                          "executable",
                                          "args",
                                          "env",
                                          "environment",
                                          "envs",
                                          "cwd",
                                          "workingDirectory",
                                          "envFile",
                                          "env_file",
                                          "env_vars",
                                          "env_keys",
                                          "url",
                                          "serverUrl",
                                          "httpUrl",
                                          "uri",
                                          "baseUrl",
                                          "server_url",
                                          "base_url",
                                          "headers",
                                          "http_headers",
                                          "env_http_headers",
                                          "bearer_token_env_var",
                                          "oauth",
                                          "auth",
                                          "disabled",
                                          "enabled",
                                          "includeTools",
                                          "enabled_tools",
                                          "enabledTools",
                                          "available_tools",
                                          "excludeTools",
                                          "disabled_tools",
                                          "disabledTools",
                                          "blockedTools",
                                          "blocked_tools",
                                          "rateLimit",
                                          "timeoutMs",
                                          "maxConcurrent",
                                          "idleTimeout",
                                          "eager",
                                          "tool_timeout_sec",
                                          "timeout"};

/// They describe it, grant what we do not ask about, or say how long its start may take.
constexpr std::string_view harmless_keys[] = {
  "name",        "description", "display_name", "title",           "trust",     "alwaysAllow",
  "autoApprove", "bundled",     "version",      "alwaysLoadTools", "gallery",   "startup_timeout_sec",
  "id",          "uuid",        "icon",         "$schema",         "autoStart", "startup_timeout_ms",
  "homepage"};

/// Of keys whose values say what may be used, in small letters.
constexpr std::string_view policy_words[] = {"disabled", "exclude", "allow", "deny",   "denied",  "permission",
                                             "block",    "reject",  "tools", "approv", "profile", "forbid"};
/// Lists of all servers that may be used: ours would have to be among them.
constexpr std::string_view allow_lists[] = {"mcp/allowed", "allowmcpservers", "allowedmcpservers"};

template <class List>
bool has(const List& list, std::string_view text) {
  return std::find(std::begin(list), std::end(list), text) != std::end(list);
}

/// Clients spell names of servers in patterns in their ways.
std::string plain_name(std::string_view name) {
  std::string out = text::in_small_letters(std::string{name});
  std::replace_if(
    out.begin(), out.end(),
    [](char c) { return !((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '*' || (c & '\x80')); }, '_');
  return out;
}

/// Whether `*` means servers: `{"bash": {"*": "ask"}}` is about commands.
enum class all_names : uint8_t { count, mean_nothing };

/// Whether `mcp__NAME__*`, `NAME_tool`, `mcp:NAME:tool`, `@NAME/tool`, `na*` may mean the server.
bool may_name(std::string_view pattern, const std::string& server, all_names of_all) {
  auto plain = plain_name(pattern);
  auto wanted = plain_name(server);
  for (int is_bare = 0; is_bare < 2; ++is_bare) {
    std::string_view left = plain;
    left.remove_prefix(std::min(left.find_first_not_of('_'), left.size()));
    if (is_bare && left.starts_with("mcp"))
      left.remove_prefix(3);
    left.remove_prefix(std::min(left.find_first_not_of('_'), left.size()));
    std::string_view name = wanted;
    name.remove_prefix(std::min(name.find_first_not_of('_'), name.size()));
    auto fixed = left.substr(0, left.find('*'));
    bool is_pattern = fixed.size() < left.size();
    bool is_it = left == name || (left.starts_with(name) && (left[name.size()] == '_' || left[name.size()] == '*'));
    if (is_it || (is_pattern && name.starts_with(fixed) && (!fixed.empty() || of_all == all_names::count)))
      return true;
  }
  return false;
}

class mention_search {
public:
  mention_search(const edits::key_path* list, const std::string& path, const std::vector<std::string>& names,
                 reasons_to_stay& to)
    : list_(list),
      path_(path),
      names_(names),
      to_(to) {}

  void look(const json::value& value, bool is_policy, size_t depth = 0) {
    if ((list_ && keys_ == *list_) || depth > mention_depth_max)
      return;
    if (auto* text = value.if_string(); text && is_policy)
      meet(*text);
    if (auto* items = value.if_array())
      for (auto& item : *items)
        look(item, is_policy, depth + 1);
    auto* object = value.if_object();
    if (!object)
      return;
    for (auto& [key, inner] : *object) {
      if (is_policy)
        meet(key);
      keys_.emplace_back(key);
      if (is_allow_list() && !inner.is_null())
        for (auto& name : names_)
          tell(name);
      look(inner, is_policy || is_policy_key(key), depth + 1);
      keys_.pop_back();
    }
  }

private:
  static bool is_policy_key(std::string_view key) {
    auto small = text::in_small_letters(std::string{key});
    return std::any_of(std::begin(policy_words), std::end(policy_words),
                       [&](auto word) { return small.find(word) != small.npos; });
  }

  bool is_allow_list() const {
    auto last = text::in_small_letters(keys_.back());
    auto two = keys_.size() < 2 ? last : text::in_small_letters(keys_[keys_.size() - 2]) + "/" + last;
    return has(allow_lists, last) || has(allow_lists, two);
  }

  void meet(std::string_view text) {
    auto of_all = is_policy_key(keys_.back()) ? all_names::count : all_names::mean_nothing;
    for (auto& name : names_)
      if (!to_.contains(name) && may_name(text, name, of_all))
        tell(name);
  }

  void tell(const std::string& name) {
    std::string where;
    for (auto& key : keys_)
      where.append(where.empty() ? "" : ".").append(key);
    to_.try_emplace(name, "'" + text::quoted(where, shown_key_bytes_max) + "' in " + path_
                            + " says whether it may be used, which only its client follows");
  }

  const edits::key_path* list_;
  const std::string& path_;
  const std::vector<std::string>& names_;
  reasons_to_stay& to_;
  edits::key_path keys_; ///< that lead to what is looked at
};

} // namespace

std::string unread_key(const config::client_file& row, const json::value& entry) {
  auto* object = entry.if_object();
  if (!object)
    return {};
  std::string_view client = row.client;
  for (auto& [key, value] : *object) {
    bool is_read =
      has(read_keys, key) || has(harmless_keys, key) || (key == "tools" && client.starts_with("Copilot CLI"));
    if (!is_read)
      return std::string{key};
    if (auto inner = key == "transport" ? unread_key(row, value) : std::string{}; !inner.empty())
      return "transport." + inner;
  }
  return {};
}

void find_mentions(const json::value& settings, const edits::key_path* list, const std::string& path,
                   const std::vector<std::string>& names, reasons_to_stay& to) {
  mention_search{list, path, names, to}.look(settings, false);
}

void find_mentions_beside(const config::client_file& row, const std::string& path, const config::environment& env,
                          const std::vector<std::string>& names, reasons_to_stay& to) {
  std::string_view client = row.client;
  client = client.substr(0, client.find(" (")); // without its scope
  std::set<std::string> paths;
  auto add = [&](auto& lists) {
    for (auto& list : lists)
      if (std::string_view{list.client}.starts_with(client))
        paths.insert(config::path_of(env, list.root, list.path, list.moved_by));
  };
  auto offs = config::off_lists();
  auto verdicts = config::verdict_lists();
  add(offs);
  add(verdicts);
  paths.erase(path);
  paths.erase("");
  for (auto& each : paths) {
    auto file = config::config_file::read(each);
    if (file.error().code == msg::errc::none)
      find_mentions(file.root(), nullptr, each, names, to);
    else
      for (auto& name : names)
        to.try_emplace(name, each + " can not be read, and may switch it off");
  }
}

void find_switched_off(const config::server_list& known, const std::string& path, reasons_to_stay& to) {
  for (auto* entries : {&known.entries, &known.hidden})
    for (auto& entry : *entries) {
      if (entry.source != path)
        continue;
      if (entry.disabled)
        to.try_emplace(entry.name, "it is switched off there");
      else if (!msg::is_trusted(entry))
        to.try_emplace(entry.name, "it has no approval");
    }
}

} // namespace setup
