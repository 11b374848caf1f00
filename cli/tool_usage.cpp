#include "cli/tool_usage.hpp"

#include "audit/line.hpp"
#include "audit/reader.hpp"
#include "mcp/fields.hpp"
#include "messages/document.hpp"
#include "messages/errors.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <cmath>

namespace cli {

namespace json = boost::json;

namespace {

/// As the record writes it: only the code, as the text may repeat an argument.
bool is_of_invalid_arguments(std::string_view error) {
  return error.starts_with(msg::to_string(msg::errc::invalid_argument));
}

void add_call(const json::object& line, usage_record& to) {
  std::pair<std::string, std::string> name{mcp::string_or(line, "server"), mcp::string_or(line, "tool")};
  auto found = to.tools.find(name);
  if (found == to.tools.end() && to.tools.size() >= used_tools_max)
    return;
  auto& usage = found == to.tools.end() ? to.tools[std::move(name)] : found->second;
  auto* success = line.if_contains("success");
  bool has_succeeded = success && success->is_bool() && success->get_bool();
  ++usage.calls;
  usage.failures += has_succeeded ? 0 : 1;
  usage.invalid += is_of_invalid_arguments(mcp::string_or(line, "error")) ? 1 : 0;
  auto* took = line.if_contains("durationMs");
  json::error_code ec;
  auto ms = took && took->is_number() ? took->to_number<double>(ec) : -1.0;
  if (has_succeeded && !ec && ms >= 0 && usage.took_ms.size() < durations_max)
    usage.took_ms.push_back(static_cast<float>(ms));
}

} // namespace

void tool_usage::add(const tool_usage& other) {
  calls += other.calls;
  failures += other.failures;
  invalid += other.invalid;
  took_ms.insert(took_ms.end(), other.took_ms.begin(), other.took_ms.end());
}

std::optional<double> tool_usage::percentile_ms(double rank) const {
  if (took_ms.empty())
    return std::nullopt;
  auto sorted = took_ms;
  auto place = static_cast<size_t>(std::max(0.0, std::ceil(rank * double(sorted.size())) - 1));
  auto at = sorted.begin() + static_cast<std::ptrdiff_t>(std::min(place, sorted.size() - 1));
  std::nth_element(sorted.begin(), at, sorted.end());
  return *at;
}

usage_record read_usage(const audit::place& where) {
  usage_record out;
  for (auto& name : audit::files_of(where)) {
    out.exists = true;
    audit::reader in{audit::path_of(where, name), audit::reader::digests::unwanted};
    for (audit::read_line line; in.next(line);) {
      if (line.text.find(R"("event":"tool_call")") == std::string::npos || audit::digest_before(line.text).empty())
        continue;
      auto parsed = msg::document::parse(line.text);
      auto* object = parsed.ok() ? parsed.value.value().if_object() : nullptr;
      if (!object || mcp::string_or(*object, "event") != "tool_call")
        continue;
      if (out.since.empty())
        out.since = audit::time_of(line.text);
      add_call(*object, out);
    }
  }
  return out;
}

} // namespace cli
