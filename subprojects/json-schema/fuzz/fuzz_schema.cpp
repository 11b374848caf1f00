// Two JSON texts, a zero byte between them: any schema, any instance. Nothing crashes, and both ways to ask agree.
#include "json_schema/schema.hpp"

#include <boost/json/parse.hpp>

#include <cstdlib>
#include <string_view>

namespace {

void require(bool ok) {
  if (!ok)
    std::abort();
}

bool parse(std::string_view text, boost::json::value& out) {
  boost::json::error_code ec;
  out = boost::json::parse(text, ec);
  return !ec;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view all{reinterpret_cast<const char*>(data), size};
  auto cut = all.find('\0');
  boost::json::value document, instance;
  if (cut == all.npos || !parse(all.substr(0, cut), document) || !parse(all.substr(cut + 1), instance))
    return 0;
  json_schema::compile_options options;
  options.format = options.content = json_schema::meaning::assertion;
  options.limits = {.subschemas = 1'000, .pattern_bytes = 256, .pattern_memory_bytes = 1 << 20};
  json_schema::validate_limits limits;
  limits.steps = limits.pattern_steps = 20'000;
  auto compiled = json_schema::compile(document, options);
  if (auto* problem = std::get_if<json_schema::compile_error>(&compiled)) {
    require(!problem->message.empty());
    return 0;
  }
  auto& schema = std::get<json_schema::schema>(compiled);
  auto found = schema.validate(instance, limits);
  require(found.valid == found.errors.empty());
  require(found.valid == schema.is_valid(instance, limits));
  require(!found.undecided || found.errors.size() == 1);
  for (auto& e : found.errors)
    require(!e.text().empty() && !e.schema_path.empty());
  return 0;
}
