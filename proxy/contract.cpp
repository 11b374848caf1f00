#include "proxy/contract.hpp"

#include "json_schema/schema.hpp"
#include "messages/limits.hpp"
#include "messages/utf8.hpp"
#include "proxy/complaint.hpp"
#include "proxy/names.hpp"

#include <boost/json/object.hpp>
#include <spdlog/spdlog.h>

#include <mutex>
#include <optional>

namespace proxy {

namespace json = boost::json;

namespace {

/// Values in a schema that is compiled in less than a millisecond; the median of published tools has 60.
constexpr size_t quick_schema_values_max = 2'000;
constexpr size_t warned_errors_max = 3;

/// Counts until it is certain.
bool has_more_values(const json::value& v, size_t& left) { // NOLINT(misc-no-recursion): documents have at most json_depth_max levels
  if (left == 0)
    return true;
  --left;
  if (auto* list = v.if_array())
    for (auto& element : *list)
      if (has_more_values(element, left))
        return true;
  if (auto* object = v.if_object())
    for (auto& [key, field] : *object)
      if (has_more_values(field, left))
        return true;
  return false;
}

bool is_large(const json::value* schema) {
  size_t left = quick_schema_values_max;
  return schema && has_more_values(*schema, left);
}

} // namespace

struct contract::schemas {
  struct side {
    std::string_view name;
    const json::value* text = nullptr; ///< inside of `tool`; null: the tool says nothing
    std::once_flag once;
    std::optional<json_schema::schema> compiled;
  };
  msg::tool_info tool;
  side input, output;
  bool large = false;

  const json_schema::schema* of(side& s) const {
    std::call_once(s.once, [&] { compile(s); });
    return s.compiled ? &*s.compiled : nullptr;
  }

  void compile(side& s) const {
    json_schema::compile_options options;
    options.mistaken = json_schema::mistakes::ignored;
    auto made = json_schema::compile(*s.text, options);
    if (auto* schema = std::get_if<json_schema::schema>(&made))
      s.compiled = std::move(*schema);
    const auto* problem = std::get_if<json_schema::compile_error>(&made);
    if (s.compiled && !s.compiled->ignored().empty())
      problem = &s.compiled->ignored().front();
    if (problem)
      spdlog::debug("{} of {}: {}{} at {}", s.name, full_name(tool.server, tool.name),
                    s.compiled ? "ignored in part: " : "not checked: ", problem->message, problem->schema_path);
  }
};

contract::contract(msg::tool_info tool) : schemas_(std::make_unique<schemas>()) {
  auto& s = *schemas_;
  s.tool = std::move(tool);
  s.input.name = "inputSchema";
  s.output.name = "outputSchema";
  auto* definition = s.tool.definition.value().if_object();
  for (auto* side : {&s.input, &s.output})
    side->text = definition ? definition->if_contains(side->name) : nullptr;
  s.large = is_large(s.input.text) || is_large(s.output.text);
}

contract::~contract() = default;

bool contract::is_quick(size_t bytes) const { return !schemas_->large && bytes <= msg::limits::json_inline_bytes_max; }

msg::fault contract::check_arguments(const msg::document& arguments) const {
  auto& s = *schemas_;
  auto* compiled = s.input.text ? s.of(s.input) : nullptr;
  if (!compiled)
    return {};
  auto found = compiled->validate(arguments.value());
  if (found.valid || found.undecided) // what can not be decided is for the server to decide
    return {};
  return complaint(full_name(s.tool.server, s.tool.name), found.errors, s.input.text, arguments.value()).at(s.tool.server, s.tool.name);
}

bool contract::promises_output() const { return schemas_->output.text != nullptr; }

std::string contract::check_result(const msg::document& result) const {
  auto& s = *schemas_;
  auto* envelope = result.value().if_object();
  auto* structured = envelope ? envelope->if_contains("structuredContent") : nullptr;
  auto* is_error = envelope ? envelope->if_contains("isError") : nullptr;
  bool failed = is_error && *is_error == json::value(true);
  auto* compiled = structured && !failed && s.output.text ? s.of(s.output) : nullptr;
  if (!compiled)
    return {};
  json_schema::validate_limits limits;
  limits.errors = warned_errors_max;
  auto found = compiled->validate(*structured, limits);
  if (found.valid || found.undecided)
    return {};
  auto out = "the result of " + full_name(s.tool.server, s.tool.name) + " is not what its outputSchema promises";
  for (auto& e : found.errors)
    out += "; " + e.text();
  return msg::valid_utf8(out);
}

} // namespace proxy
