#include "faults/reading_tools.hpp"

#include "mcp/fields.hpp"
#include "proxy/names.hpp"

#include <boost/json/value.hpp>

#include <algorithm>
#include <array>

namespace faults {

bool says_it_reads(const boost::json::object& tool) {
  auto* annotations = mcp::object_in(&tool, "annotations");
  auto* hint = annotations ? annotations->if_contains("readOnlyHint") : nullptr;
  return hint && hint->is_bool() && hint->get_bool();
}

bool sounds_like_reading(std::string_view full_name) {
  constexpr std::array<std::string_view, 10> verbs{"get",   "list",  "read",     "search", "find",
                                                   "fetch", "query", "describe", "show",   "echo"};
  auto at = full_name.rfind(proxy::name_separator);
  auto name = full_name.substr(at == full_name.npos ? 0 : at + proxy::name_separator.size());
  return std::any_of(verbs.begin(), verbs.end(), [name](auto verb) { return name.starts_with(verb); });
}

} // namespace faults
