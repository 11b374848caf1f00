#include "proxy/memory/checks.hpp"

#include "messages/limits.hpp"
#include "text/utf8.hpp"

#include <algorithm>
#include <cctype>

namespace memory {

namespace limits = msg::limits;
using msg::errc;
using msg::fault;
using msg::memory_operation;

namespace {

constexpr std::string_view keywords[] = {
  "False",  "None",     "True", "and",    "as",      "assert", "async",  "await",  "break", "class",  "continue", "def",
  "del",    "elif",     "else", "except", "finally", "for",    "from",   "global", "if",    "import", "in",       "is",
  "lambda", "nonlocal", "not",  "or",     "pass",    "raise",  "return", "try",    "while", "with",   "yield"};

std::string size_text(size_t bytes) {
  return bytes % 1024 == 0 ? std::to_string(bytes >> 10) + " KiB" : std::to_string(bytes) + " bytes";
}

fault too_large(const std::string& what, size_t bytes, size_t most) {
  return {errc::limit_exceeded,
          what + " has " + std::to_string(bytes) + " bytes; at most " + size_text(most) + " can be kept"};
}

bool is_about_tools(memory_operation o) {
  return o == memory_operation::tool_save || o == memory_operation::tool_load || o == memory_operation::tool_delete;
}

/// errc::none: it is fine.
fault check_name(const msg::memory_request& r) {
  if (r.operation == memory_operation::memory_list || r.operation == memory_operation::tool_list)
    return {};
  if (is_about_tools(r.operation) && !is_python_name(r.key))
    return {errc::invalid_argument, "the name of a tool must be a Python name (letters, digits, _), not '"
                                      + text::quoted(r.key, quoted_bytes_max) + "'"};
  if (r.key.empty())
    return {errc::invalid_argument, "Memory key cannot be empty"};
  if (r.key.size() > limits::memory_key_bytes_max)
    return too_large(is_about_tools(r.operation) ? "the name of the tool" : "the memory key", r.key.size(),
                     limits::memory_key_bytes_max);
  return {};
}

} // namespace

bool is_python_name(std::string_view name) {
  auto is_part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  return !name.empty() && !std::isdigit(static_cast<unsigned char>(name[0]))
         && std::all_of(name.begin(), name.end(), is_part)
         && std::find(std::begin(keywords), std::end(keywords), name) == std::end(keywords);
}

msg::outcome<written> check(const msg::memory_request& r) {
  if (auto wrong = check_name(r); wrong.code != errc::none)
    return wrong;
  written out;
  if (r.operation == memory_operation::memory_save) {
    out.value = r.value.text();
    out.metadata = r.metadata.text();
    if (out.value.size() > limits::memory_value_bytes_max)
      return too_large("the value of '" + text::quoted(r.key, quoted_bytes_max) + "'", out.value.size(),
                       limits::memory_value_bytes_max);
    if (out.metadata.size() > limits::memory_metadata_bytes_max)
      return too_large("the metadata of '" + text::quoted(r.key, quoted_bytes_max) + "'", out.metadata.size(),
                       limits::memory_metadata_bytes_max);
  }
  if (r.operation == memory_operation::tool_save) {
    if (r.source.empty())
      return fault{errc::invalid_argument, "the tool '" + r.key + "' has no source"};
    if (r.source.size() > limits::saved_tool_bytes_max)
      return too_large("the source of the tool '" + r.key + "'", r.source.size(), limits::saved_tool_bytes_max);
    if (r.description.size() > limits::memory_metadata_bytes_max)
      return too_large("the description of the tool '" + r.key + "'", r.description.size(),
                       limits::memory_metadata_bytes_max);
  }
  return out;
}

} // namespace memory
