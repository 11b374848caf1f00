#include "setup/own_entry.hpp"

#include "config/server_entry.hpp"

#include <boost/json/array.hpp>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace setup {

namespace json = boost::json;
using msg::errc;
using msg::fault;
using msg::variable_syntax;

namespace {

fault stays(const std::string& why) { return {errc::invalid_argument, why}; }

bool is_name(std::string_view text) {
  constexpr std::string_view parts = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";
  return !text.empty() && text.find_first_not_of(parts) == text.npos && (text[0] < '0' || text[0] > '9');
}

/// What stands between the brackets of a reference, as a reference of ours. Empty: there is no such.
std::string reference_of(std::string_view inside, variable_syntax syntax) {
  constexpr std::string_view env = "env:";
  if (syntax == variable_syntax::editor && inside == "userHome")
    return "${HOME}";
  bool has_prefix = syntax == variable_syntax::editor || syntax == variable_syntax::opencode;
  if (has_prefix && !inside.starts_with(env))
    return {};
  auto name = inside.substr(has_prefix ? env.size() : 0);
  return is_name(name) ? "${" + std::string{name} + "}" : std::string{};
}

/// A text of the entry with its variables in our spelling, ${NAME}.
class respeller {
public:
  explicit respeller(variable_syntax syntax) : syntax_(syntax) {}

  bool has_failed() const { return has_failed_; }

  std::string text(std::string_view text) {
    if (syntax_ == variable_syntax::shell)
      return std::string{text};
    std::string out;
    while (!text.empty()) {
      auto at = std::min(text.find_first_of("${"), text.size());
      out.append(text.substr(0, at));
      text.remove_prefix(at);
      text.remove_prefix(reference(text, out));
    }
    has_failed_ = has_failed_ || (out.find("${") != out.npos && !has_references_);
    return out;
  }

  json::array list(const std::vector<std::string>& texts) {
    json::array out;
    for (auto& each : texts)
      out.emplace_back(text(each));
    return out;
  }

  json::object pairs(const std::vector<std::pair<std::string, std::string>>& from) {
    json::object out;
    for (auto& [name, value] : from)
      out.emplace(name, text(value));
    return out;
  }

private:
  /// At a `$` or `{`, or at the end: how many bytes it takes.
  size_t reference(std::string_view text, std::string& out) {
    if (text.empty())
      return 0;
    bool has_brackets = text.starts_with("${") || (syntax_ == variable_syntax::opencode && text.starts_with("{env:"))
                        || (syntax_ == variable_syntax::opencode && text.starts_with("{file:"));
    if (has_brackets) {
      auto begin = text.find('{') + 1;
      auto end = text.find('}', begin);
      bool is_known = syntax_ != variable_syntax::none && syntax_ != variable_syntax::mustache
                      && !(syntax_ == variable_syntax::opencode && text[0] == '$') && end != text.npos;
      auto found = is_known ? reference_of(text.substr(begin, end - begin), syntax_) : std::string{};
      has_failed_ = has_failed_ || found.empty();
      has_references_ = true;
      out += found;
      return end == text.npos ? text.size() : end + 1;
    }
    if (syntax_ == variable_syntax::gemini && text[0] == '$') {
      size_t end = 1;
      while (end < text.size() && is_name(text.substr(1, end)))
        ++end;
      if (end > 1) {
        has_references_ = true;
        out += "${" + std::string{text.substr(1, end - 1)} + "}";
        return end;
      }
    }
    out += text[0];
    return 1;
  }

  variable_syntax syntax_;
  bool has_failed_ = false;
  bool has_references_ = false;
};

void put_texts(json::object& to, const char* key, json::array texts) {
  if (!texts.empty())
    to[key] = std::move(texts);
}

void put_pairs(json::object& to, const char* key, json::object pairs) {
  if (!pairs.empty())
    to[key] = std::move(pairs);
}

void put_text(json::object& to, const char* key, const std::string& text) {
  if (!text.empty())
    to[key] = text;
}

void put_connection(const msg::server_entry& e, respeller& spelling, json::object& to) {
  if (e.transport == msg::transport_kind::stdio) {
    to["command"] = spelling.text(e.command);
    to["args"] = spelling.list(e.args);
    put_pairs(to, "env", spelling.pairs(e.env));
    put_text(to, "cwd", spelling.text(e.cwd));
    put_text(to, "envFile", spelling.text(e.env_file));
    put_texts(to, "env_vars", spelling.list(e.env_names));
    return;
  }
  if (e.transport != msg::transport_kind::automatic)
    to["type"] = e.transport == msg::transport_kind::sse ? "sse" : "http";
  to["url"] = spelling.text(e.url);
  put_pairs(to, "headers", spelling.pairs(e.headers));
  put_pairs(to, "env_http_headers", spelling.pairs(e.header_names));
  put_text(to, "bearer_token_env_var", e.bearer_name);
}

void put_policy(const msg::server_entry& e, json::object& to) {
  if (!e.tools.everything)
    to["includeTools"] = json::array(e.tools.allowed.begin(), e.tools.allowed.end());
  put_texts(to, "excludeTools", json::array(e.tools.denied.begin(), e.tools.denied.end()));
  if (e.rate.requests > 0)
    to["rateLimit"] = json::object{{"maxRequests", int64_t{e.rate.requests}}, {"windowMs", int64_t{e.rate.window_ms}}};
  if (e.call_timeout_ms > 0)
    to["timeoutMs"] = int64_t{e.call_timeout_ms};
  if (e.calls_max > 0)
    to["maxConcurrent"] = int64_t{e.calls_max};
  if (e.idle_ms > 0)
    to["idleTimeout"] = std::to_string(e.idle_ms) + "ms";
  if (e.eager)
    to["eager"] = true;
}

/// As it is read from our file.
std::optional<msg::server_entry> read_back(const std::string& name, const json::object& entry) {
  constexpr config::client_file ours{"code-executor", config::file_root::config, own_servers_path,
                                     own_servers_container, variable_syntax::shell};
  config::file_problems problems;
  auto file = config::config_file::of_text("servers.json", "{}");
  auto read = config::read_entry(ours, file, name, name, entry, problems);
  return problems.told().empty() ? std::move(read.entry) : std::nullopt;
}

/// What of an entry may differ when it is in another file.
msg::server_entry bare(msg::server_entry entry, respeller& spelling) {
  entry.client = entry.source = entry.workspace = entry.scope = "";
  entry.trust = {};
  entry.shadows.clear();
  entry.syntax = variable_syntax::shell;
  for (auto* text : {&entry.command, &entry.cwd, &entry.env_file, &entry.url})
    *text = spelling.text(*text);
  for (auto* texts : {&entry.args, &entry.env_names})
    for (auto& text : *texts)
      text = spelling.text(text);
  for (auto* pairs : {&entry.env, &entry.headers, &entry.header_names})
    for (auto& [name, value] : *pairs)
      value = spelling.text(value);
  return entry;
}

} // namespace

msg::outcome<json::object> own_entry(const msg::server_entry& entry) {
  if (entry.disabled)
    return stays("it is switched off there");
  if (!entry.unusable.empty())
    return stays(entry.unusable);
  respeller spelling{entry.syntax};
  json::object out;
  put_connection(entry, spelling, out);
  put_policy(entry, out);
  if (spelling.has_failed())
    return stays("it has variables, or texts like them, that its client alone understands");
  respeller none{variable_syntax::shell};
  auto read = read_back(entry.name, out);
  if (!read || bare(*read, none) != bare(entry, spelling))
    return stays("it says what only its client understands");
  return out;
}

} // namespace setup
