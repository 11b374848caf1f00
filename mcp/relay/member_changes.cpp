#include "mcp/relay/member_changes.hpp"

#include <boost/json/value.hpp>

#include <memory>
#include <utility>

namespace mcp::relay {

namespace json = boost::json;

namespace {

/// Null: it is not there.
const json::value* find(const json::value& in, const json::object& object, int depth) {
  auto* members = in.if_object();
  if (members == &object)
    return &in;
  if (!members || depth == 0)
    return nullptr;
  for (auto& [name, value] : *members)
    if (auto* found = find(value, object, depth - 1))
      return found;
  return nullptr;
}

} // namespace

msg::spliced_text with_changes(std::string head, const msg::document& whole, const json::object& object,
                               member_changes changes, std::string tail) {
  auto* value = find(whole.value(), object, 2);
  msg::spliced_text out{std::move(head), value ? whole.part(*value) : msg::document{json::value(object)},
                        std::move(tail)};
  if (!changes.set.empty() || !changes.dropped.empty())
    out.changes = std::make_shared<const msg::member_changes>(
      msg::member_changes{msg::document{json::value(std::move(changes.set))}, std::move(changes.dropped)});
  return out;
}

} // namespace mcp::relay
