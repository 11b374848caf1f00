#include "proxy/contract.hpp"

#include "json_schema/schema.hpp"
#include "messages/limits.hpp"
#include "proxy/complaint.hpp"
#include "proxy/names.hpp"
#include "proxy/text_arguments.hpp"
#include "proxy/unwrap.hpp"
#include "text/utf8.hpp"

#include <boost/json/object.hpp>
#include <spdlog/spdlog.h>

#include <atomic>
#include <mutex>
#include <optional>

namespace proxy {

namespace json = boost::json;

namespace {

/// What one schema may take: 100,000 subschemas, or texts of 16 MiB. The largest of 4,848 published tools takes 1 MiB.
constexpr size_t schema_memory_bytes_max = 32u << 20;
/// Of a check that is made at once: a step takes 50 ns, one of a pattern 10 ns. The median of published tools needs 10
/// for a call.
constexpr size_t quick_steps_max = 5'000;
constexpr uint32_t quick_pattern_steps_max = 10'000;
constexpr uint32_t quick_pattern_memory_kib_max = 64;
constexpr size_t warned_errors_max = 3;

bool is_valid_at_once(const json_schema::schema& schema, const json::value& instance) {
  json_schema::validate_limits limits;
  limits.steps = quick_steps_max;
  limits.pattern_steps = quick_pattern_steps_max;
  limits.pattern_memory_kib = quick_pattern_memory_kib_max;
  return schema.is_valid(instance, limits);
}

/// Null: there is nothing that anything was promised of.
const json::value* promised_part(const msg::document& result) {
  auto* envelope = result.value().if_object();
  return envelope && !is_error(result) ? envelope->if_contains("structuredContent") : nullptr;
}

} // namespace

struct contract::schemas {
  struct side {
    std::string_view name;
    const json::value* text = nullptr; ///< inside of `tool`; null: the tool says nothing
    std::once_flag once;
    std::optional<json_schema::schema> compiled; ///< read by others than who compiles it once `is_tried`
    std::atomic<bool> is_tried = false;

    /// Null also when it is not compiled yet.
    const json_schema::schema* known() const {
      return is_tried.load(std::memory_order_acquire) && compiled ? &*compiled : nullptr;
    }
    /// Whatever comes is right, as far as is known.
    bool says_nothing() const { return !text || (is_tried.load(std::memory_order_acquire) && !compiled); }
  };
  msg::tool_info tool;
  side input, output;

  const json_schema::schema* of(side& s) const {
    std::call_once(s.once, [&] { compile(s); });
    return s.compiled ? &*s.compiled : nullptr;
  }

  void compile(side& s) const {
    json_schema::compile_options options;
    options.mistaken = json_schema::mistakes::ignored;
    options.limits.memory_bytes = schema_memory_bytes_max;
    auto made = json_schema::compile(*s.text, options);
    if (auto* schema = std::get_if<json_schema::schema>(&made))
      s.compiled = std::move(*schema);
    const auto* problem = std::get_if<json_schema::compile_error>(&made);
    if (s.compiled && !s.compiled->ignored().empty())
      problem = &s.compiled->ignored().front();
    if (problem)
      spdlog::debug("{} of {}: {}{} at {}", s.name, full_name(tool.server, tool.name),
                    s.compiled ? "ignored in part: " : "not checked: ", problem->message, problem->schema_path);
    s.is_tried.store(true, std::memory_order_release);
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
}

contract::~contract() = default;

bool contract::takes_at_once(const msg::document& arguments) const {
  auto& input = schemas_->input;
  if (input.says_nothing())
    return true;
  auto* compiled = arguments.text_bytes() <= msg::limits::json_inline_bytes_max ? input.known() : nullptr;
  return compiled && is_valid_at_once(*compiled, arguments.value());
}

bool contract::keeps_at_once(const msg::document& result) const {
  auto& output = schemas_->output;
  if (output.says_nothing())
    return true;
  if (result.text_bytes() > msg::limits::json_inline_bytes_max)
    return false;
  auto* structured = promised_part(result);
  auto* compiled = output.known();
  return !structured || (compiled && is_valid_at_once(*compiled, *structured));
}

size_t contract::memory_bytes() const {
  size_t bytes = 0;
  for (auto* side : {&schemas_->input, &schemas_->output})
    if (auto* compiled = side->known())
      bytes += compiled->memory_bytes();
  return bytes;
}

msg::fault contract::check_arguments(const msg::document& arguments, taken_arguments& taken) const {
  auto& s = *schemas_;
  auto* compiled = s.input.text ? s.of(s.input) : nullptr;
  if (!compiled)
    return {};
  auto found = compiled->validate(arguments.value());
  if (found.valid || found.undecided) // what can not be decided is for the server to decide
    return {};
  if (auto read = read_texts(arguments.value(), found.errors); read && is_valid_at_once(*compiled, read->value)) {
    taken = {msg::document{std::move(read->value)}, "of " + full_name(s.tool.server, s.tool.name) + ", " + read->note};
    return {};
  }
  return complaint(full_name(s.tool.server, s.tool.name), found.errors, s.input.text, arguments.value())
    .at(s.tool.server, s.tool.name);
}

std::string contract::check_result(const msg::document& result) const {
  auto& s = *schemas_;
  auto* structured = promised_part(result);
  auto* compiled = structured && s.output.text ? s.of(s.output) : nullptr;
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
  return text::valid_utf8(out);
}

} // namespace proxy
