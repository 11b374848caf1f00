#include "mcp/item_listing.hpp"

#include "messages/limits.hpp"

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include <numeric>
#include <utility>

namespace mcp {

namespace json = boost::json;
namespace limits = msg::limits;
using msg::errc;
using msg::fault;

bool are_long(const item_pages& pages) {
  auto add = [](size_t bytes, auto& page) { return bytes + page.text_bytes(); };
  return std::accumulate(pages.begin(), pages.end(), size_t{0}, add) > limits::json_inline_bytes_max;
}

bool are_joined(const item_pages& pages) {
  return pages.empty() || (pages.size() == 1 && pages[0].value().get_array().size() <= limits::child_tools_max);
}

msg::document joined(const item_pages& pages) {
  if (pages.size() == 1 && are_joined(pages))
    return pages[0];
  json::array out;
  for (auto& page : pages)
    for (auto& item : page.value().get_array())
      if (out.size() < limits::child_tools_max)
        out.push_back(item);
  return msg::document{json::value(std::move(out))};
}

fault item_listing::problem_of(size_t limit, std::string_view unit) const {
  return fault{errc::limit_exceeded, "server '" + server_ + "' lists more than " + std::to_string(limit) + " "
                                       + std::string{unit} + ", which is the limit; have it list less"}
    .at(server_);
}

item_listing::step item_listing::take(const json::object& page, const msg::document& answer) {
  step out;
  auto* items = page.if_contains(method_ == msg::child_method::list_prompts ? "prompts"
                                 : are_templates_                           ? "resourceTemplates"
                                                                            : "resources");
  if (!items || !items->is_array()) {
    out.problem =
      fault{errc::protocol_violation, "server '" + server_ + "' answered a listing with no list"}.at(server_);
    return out;
  }
  if (!items->get_array().empty() || answer.text_bytes() > limits::json_inline_bytes_max) // its end is as long
    pages_.push_back(answer.part(*items));
  held_bytes_ += answer.held_bytes();
  auto* cursor = page.if_contains("nextCursor");
  bool goes_on = cursor && cursor->is_string();
  cursors_ += goes_on ? 1 : 0;
  if (held_bytes_ > limits::catalog_server_bytes_max)
    out.problem = problem_of(limits::catalog_server_bytes_max >> 20, "MiB");
  else if (goes_on && cursors_ >= limits::child_tool_pages_max)
    out.problem = problem_of(limits::child_tool_pages_max, "pages");
  else if (goes_on)
    out.cursor = cursor->get_string();
  else
    out.is_over = method_ == msg::child_method::list_prompts || std::exchange(are_templates_, true);
  return out;
}

} // namespace mcp
