#include "mcp/relay/mirrored_arguments.hpp"

#include "mcp/field_coding.hpp"
#include "mcp/fields.hpp"
#include "mcp/own_requests.hpp"
#include "text/ascii.hpp"
#include "text/utf8.hpp"

#include <boost/json/array.hpp>

#include <algorithm>

namespace mcp::relay {

namespace json = boost::json;

namespace {

constexpr size_t shown_header_bytes_max = 80;

const json::array& tools_of(const json::object& page) {
  static const json::array none;
  auto* found = page.if_contains("tools");
  return found && found->is_array() ? found->get_array() : none;
}

bool can_not_be_called(const json::value& tool) {
  return tool.is_object() && !find_header_parameters(tool.get_object()).problem.empty();
}

} // namespace

void mirrored_arguments::find_out(std::function<void()> then) {
  waiting_.push_back(std::move(then));
  if (waiting_.size() > 1)
    return;
  pages_ = 0;
  read_page({});
}

void mirrored_arguments::read_page(const std::string& cursor) {
  json::object params{{"_meta", modern_meta(server_.introduced_as())}};
  if (!cursor.empty())
    params["cursor"] = cursor;
  auto make = [&](server_request n) {
    return own_request{make_request(n, "tools/list", msg::document{json::value(params)}), {"tools/list"}};
  };
  auto number = server_.ask(make, [this](const message_view& response, const msg::document&) {
    auto* page = response.result ? response.result->if_object() : nullptr;
    if (!page)
      return end();
    learn(*page);
    auto next = std::string{string_or(*page, "nextCursor")};
    if (next.empty() || ++pages_ >= pages_max)
      end();
    else
      read_page(next);
  });
  if (number == 0)
    end();
}

void mirrored_arguments::end() {
  is_known_ = true;
  for (auto& then : std::exchange(waiting_, {}))
    then();
}

void mirrored_arguments::learn(const json::object& page) {
  for (auto& tool : tools_of(page)) {
    auto* definition = is_needed() ? tool.if_object() : nullptr;
    if (!definition || wanted_.size() >= tools_max)
      continue;
    auto name = string_or(*definition, "name");
    auto wanted = find_header_parameters(*definition);
    if (wanted.all.empty())
      wanted_.erase(std::string{name});
    else
      wanted_.insert_or_assign(std::string{name}, std::move(wanted.all));
  }
}

void mirrored_arguments::forget() {
  is_known_ = false;
  wanted_.clear();
}

std::vector<std::pair<std::string, std::string>> mirrored_arguments::headers_for(const message_view& call) const {
  if (!call.params || call.method != "tools/call")
    return {};
  auto found = wanted_.find(string_or(*call.params, "name"));
  auto* arguments = call.params->if_contains("arguments");
  if (found == wanted_.end() || !arguments)
    return {};
  return headers_of(found->second, *arguments);
}

std::string mirrored_arguments::problem_of(const message_view& call, const http::headers& said) const {
  if (!call.params || call.method != "tools/call")
    return {};
  auto found = wanted_.find(string_or(*call.params, "name"));
  if (found == wanted_.end())
    return {};
  auto expected = headers_for(call);
  for (auto& each : found->second) {
    auto is_it = [&](auto& header) {
      return text::in_small_letters(header.name) == text::in_small_letters(each.header);
    };
    auto count = std::count_if(said.begin(), said.end(), is_it);
    auto wanted = std::find_if(expected.begin(), expected.end(), [&](auto& pair) { return pair.first == each.header; });
    bool has_value = wanted != expected.end();
    if (count != (has_value ? 1 : 0))
      return each.header + (has_value ? " is missing, or there more than once" : " has no value in the arguments");
    if (!has_value)
      continue;
    auto& value = std::find_if(said.begin(), said.end(), is_it)->value;
    if (decoded_field(value) != decoded_field(wanted->second))
      return each.header + " header value " + text::quoted(value, shown_header_bytes_max)
             + " does not match the argument";
  }
  return {};
}

void mirrored_arguments::take_page(const json::object& page, json::object& changes) {
  learn(page);
  auto& all = tools_of(page);
  if (!is_needed() || !server_.says_labels() || std::none_of(all.begin(), all.end(), can_not_be_called))
    return;
  json::array rest;
  for (auto& tool : all)
    if (!can_not_be_called(tool))
      rest.push_back(tool);
  changes["tools"] = std::move(rest);
}

} // namespace mcp::relay
