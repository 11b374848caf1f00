#include "audit/line.hpp"

#include "audit/redact.hpp"
#include "messages/limits.hpp"
#include "text/digest.hpp"
#include "text/json_text.hpp"
#include "text/utf8.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <array>
#include <ctime>

#include <sys/random.h>

namespace audit {

namespace json = boost::json;
namespace limits = msg::limits;
using msg::audit_kind;
using msg::errc;

namespace {

constexpr std::string_view line_begin = R"({"prev":")";
constexpr size_t process_id_bytes = 6;
constexpr size_t class_name_max = 60;

std::string cut(std::string_view text) { return text::quoted(text, limits::audit_name_bytes_max); }

/// The first of them; how many there are besides is told under another key.
void add_names(json::object& line, std::string_view key, const std::vector<std::string>& names) {
  json::array list;
  for (size_t i = 0; i < std::min(names.size(), limits::audit_names_max); ++i)
    list.push_back(json::string{cut(names[i])});
  line[key] = std::move(list);
  if (names.size() > limits::audit_names_max)
    line[std::string{key} + "More"] = names.size() - limits::audit_names_max;
}

void add_text(json::object& line, std::string_view key, std::string_view text) {
  if (!text.empty())
    line[key] = cut(text);
}

void add_sampling(json::object& line, const msg::audit_event& e) {
  line["promptHash"] = text::sha256_of(e.prompt);
  if (!e.answer.empty())
    line["answerHash"] = text::sha256_of(e.answer);
  line["tokens"] = e.tokens;
}

bool says_what_is_allowed(const msg::audit_event& e) {
  return e.kind == audit_kind::run || e.kind == audit_kind::run_begun || !e.code.empty();
}

json::object fields_of(const msg::audit_event& e, std::string_view process) {
  json::object line{{"timestamp", timestamp(e.when)}, {"event", to_string(e.kind)}};
  if (e.run != 0)
    line["runId"] = run_id(process, e.run);
  add_text(line, "clientId", e.client);
  add_text(line, "traceId", e.trace);
  add_text(line, "executor", e.executor);
  if (says_what_is_allowed(e)) {
    line["codeHash"] = text::sha256_of(e.code);
    line["codeLength"] = e.code.size();
    add_names(line, "allowedTools", e.allowed_tools);
  }
  if (e.kind == audit_kind::run)
    add_names(line, "toolsCalled", e.tools_called);
  if (!e.faults.empty())
    add_names(line, "faults", e.faults);
  add_text(line, "server", e.server);
  add_text(line, "tool", e.tool);
  if (!e.arguments_digest.empty())
    line["argsHash"] = e.arguments_digest;
  else if (!e.arguments.value().is_null())
    line["argsHash"] = arguments_digest(e.arguments);
  add_text(line, "host", e.host);
  add_text(line, "route", e.route);
  add_text(line, "model", e.model);
  if (e.kind == audit_kind::sampling_call)
    add_sampling(line, e);
  add_text(line, "state", e.state);
  if (e.kind == audit_kind::run || e.kind == audit_kind::tool_call || e.kind == audit_kind::connection
      || e.kind == audit_kind::sampling_call)
    line["durationMs"] = static_cast<double>(e.duration_us) / 1000.0;
  if (e.memory_bytes > 0)
    line["memoryBytes"] = e.memory_bytes;
  if (e.is_over())
    line["success"] = e.success;
  if (!e.error.empty())
    line["error"] = redacted(e.error, limits::audit_error_bytes_max);
  return line;
}

std::string written(const json::object& line) {
  auto text = text::to_text(json::value(line));
  return text.substr(1); // the brace comes with the beginning
}

/// A program can give its exceptions any name.
bool is_class_name(std::string_view name) {
  auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
  };
  return name.size() <= class_name_max && std::all_of(name.begin(), name.end(), fits);
}

/// Whether the message is ours, and made of names and numbers.
bool is_own_text(errc code) {
  switch (code) {
    case errc::none:
    case errc::invalid_argument:   // may quote an argument
    case errc::tool_failed:        // the server's
    case errc::protocol_violation: // quotes what a server has sent
    case errc::guest_protocol:     // quotes what a program has sent
    case errc::dangerous_code:     // quotes the program
    case errc::limit_exceeded:     // of a call that failed again and again: may quote its error
    case errc::tool_changed:       // may quote a description
    case errc::model_failed:       // quotes a provider, or the client
    case errc::internal: return false;
    default: return true;
  }
}

/// The first setting that a message names, as " (runs.maxToolCalls)"; empty: none.
std::string setting_in(std::string_view message) {
  for (auto open = message.find('('); open != message.npos; open = message.find('(', open + 1)) {
    auto close = message.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.", open + 1);
    auto key = message.substr(open, close == message.npos ? close : close - open);
    if (close != message.npos && message[close] == ')' && key.find('.') != key.npos && key.size() <= class_name_max)
      return " " + std::string{key} + ")";
  }
  return {};
}

} // namespace

std::string run_id(std::string_view process, uint64_t run) { return std::string{process} + "-" + std::to_string(run); }

std::string new_process_id() {
  std::array<unsigned char, process_id_bytes> bytes{};
  // Never for so few, once the machine has started.
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    auto now = static_cast<uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
    for (auto& b : bytes) {
      b = static_cast<unsigned char>(now >> 8U);
      now >>= 8U;
    }
  }
  std::string_view all{reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  return text::sha256_of(all).substr(0, 2 * process_id_bytes);
}

std::string timestamp(std::chrono::system_clock::time_point when) {
  auto whole = std::chrono::floor<std::chrono::milliseconds>(when);
  auto seconds = std::chrono::floor<std::chrono::seconds>(whole);
  auto time = std::chrono::system_clock::to_time_t(seconds);
  std::tm parts{};
  ::gmtime_r(&time, &parts);
  std::array<char, 32> text{};
  auto length = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S.", &parts);
  auto ms = std::to_string((whole - seconds).count());
  return std::string{text.data(), length} + std::string(3 - std::min<size_t>(3, ms.size()), '0') + ms + "Z";
}

std::string line_body(const msg::audit_event& event, std::string_view process) {
  auto line = fields_of(event, process);
  auto body = written(line);
  auto room = limits::audit_line_bytes_max - line_begin.size() - digest_length - 2;
  for (auto key :
       // Escaped, texts can be six times as long.
       {"allowedTools", "toolsCalled", "error", "state", "host", "tool", "server", "clientId"}) {
    if (body.size() <= room)
      break;
    line.erase(key);
    line["cut"] = true;
    body = written(line);
  }
  return body;
}

std::string chained(std::string_view digest_before, std::string_view body) {
  std::string line;
  line.reserve(line_begin.size() + digest_before.size() + 2 + body.size());
  return line.append(line_begin).append(digest_before).append("\",").append(body);
}

std::string arguments_digest(const msg::document& arguments) { return text::sha256_of(arguments.text()); }

const char* executor_name(msg::language language) {
  return language == msg::language::typescript ? "typescript" : "python";
}

std::vector<std::string> allowed_names(const msg::tool_filter& filter) {
  if (!filter.everything)
    return filter.patterns;
  std::vector<std::string> names;
  names.reserve(filter.servers.size() + 1);
  for (auto& server : filter.servers)
    names.push_back("mcp__" + server + "__*");
  if (names.empty())
    names.emplace_back("*");
  return names;
}

std::string_view digest_before(std::string_view line) {
  auto end = line_begin.size() + digest_length;
  if (line.size() <= end || !line.starts_with(line_begin) || line[end] != '"')
    return {};
  auto digest = line.substr(line_begin.size(), digest_length);
  bool is_hex =
    std::all_of(digest.begin(), digest.end(), [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
  return is_hex ? digest : std::string_view{};
}

std::string_view time_of(std::string_view line) {
  constexpr std::string_view before = "\",\"timestamp\":\"";
  auto rest = digest_before(line).empty() ? std::string_view{} : line.substr(line_begin.size() + digest_length);
  return rest.starts_with(before) ? rest.substr(before.size(), rest.find('"', before.size()) - before.size())
                                  : std::string_view{};
}

std::string error_text(const msg::fault& error) {
  if (error.code == errc::none)
    return {};
  auto code = std::string{to_string(error.code)};
  return is_own_text(error.code)              ? code + ": " + error.message
         : error.code == errc::limit_exceeded ? code + setting_in(error.message)
                                              : code;
}

std::string error_text(const msg::program_error& error) {
  auto place = error.line > 0 ? " at line " + std::to_string(error.line) : std::string{};
  if (error.name.empty()) // ours
    return error.code == errc::none ? std::string{} : error_text(msg::fault{error.code, error.message}) + place;
  auto name = is_class_name(error.name) ? error.name : std::string{"Error"};
  if (error.code != errc::none)
    name += " " + std::string{to_string(error.code)};
  return name + place;
}

} // namespace audit
