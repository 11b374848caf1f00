#include "mcp/tool_page.hpp"

#include "mcp/fields.hpp"
#include "messages/limits.hpp"
#include "text/utf8.hpp"

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include <string_view>
#include <unordered_set>
#include <utility>

namespace mcp {

namespace json = boost::json;
namespace limits = msg::limits;
using msg::errc;
using msg::fault;

const json::array* tools_in(const json::value& answer) {
  auto* object = answer.if_object();
  auto* result = object ? object->if_contains("result") : nullptr;
  auto* fields = result ? result->if_object() : nullptr;
  auto* tools = fields ? fields->if_contains("tools") : nullptr;
  return tools && !object->contains("error") ? tools->if_array() : nullptr;
}

namespace {

/// False: the tool can not be called.
bool read_headers(std::string_view name, const json::object& definition, tool_page& page) {
  auto found = find_header_parameters(definition);
  if (!found.all.empty())
    page.headers.emplace(name, std::move(found.all));
  if (!found.problem.empty() && ++page.unsayable == 1)
    page.first_unsayable = "'" + text::quoted(name, limits::child_quote_bytes_max) + "' " + found.problem;
  return found.problem.empty();
}

} // namespace

tool_page read_tool_page(const std::string& server, const msg::document& answer, argument_headers headers) {
  tool_page page;
  std::unordered_set<std::string_view> names;
  for (auto& tool : *tools_in(answer.value())) {
    auto* definition = tool.if_object();
    auto name = definition ? string_or(*definition, "name") : std::string_view{};
    bool is_name = !name.empty() && name.size() <= limits::child_tool_name_bytes_max;
    page.left_out += is_name ? 0 : 1;
    bool is_one_more = is_name && page.tools.size() >= limits::child_tools_max;
    page.too_many += is_one_more ? 1 : 0;
    if (!is_name || is_one_more || !names.insert(name).second)
      continue; // of two of one name the first one counts
    if (headers == argument_headers::said && !read_headers(name, *definition, page))
      continue;
    msg::tool_info info{server, std::string{name}, std::string{string_or(*definition, "description")},
                        msg::document{tool}};
    if (info.definition.held_bytes() > limits::child_tool_bytes_max) {
      ++page.too_large;
      continue;
    }
    page.bytes += info.definition.held_bytes();
    page.tools.push_back(std::move(info));
    if (page.bytes > limits::catalog_server_bytes_max) {
      page = {};
      page.problem = too_large_a_list(server);
      return page;
    }
  }
  auto* cursor = answer.value().at("result").get_object().if_contains("nextCursor");
  if (cursor && cursor->is_string())
    page.bytes += page.next.emplace(cursor->get_string()).size();
  return page;
}

bool is_long(const msg::tool_list& tools) {
  size_t bytes = 0;
  for (auto& tool : tools)
    bytes += tool.definition.held_bytes();
  return tools.size() > limits::child_tools_at_once_max || bytes > limits::child_tools_at_once_bytes_max;
}

fault too_large_a_list(const std::string& server) {
  return fault{errc::server_start_failed, "server '" + server + "' lists tools that take more than "
                                            + std::to_string(limits::catalog_server_bytes_max >> 20)
                                            + " MiB, which is the limit; have it list fewer, or shorter ones"}
    .at(server);
}

} // namespace mcp
