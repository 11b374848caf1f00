#include "mcp/results.hpp"

#include "text/json_text.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace mcp {

namespace json = boost::json;

namespace {

/// Of results that can be large; what is beside it is small.
constexpr std::array<std::string_view, 4> large_members{"contents", "resources", "resourceTemplates", "tools"};

const json::value* large_member_of(const json::object& result, std::string_view& name) {
  for (auto each : large_members)
    if (auto* found = result.if_contains(each)) {
      name = each;
      return found;
    }
  return nullptr;
}

void add_hint(json::object& to, const cache_hint& hint) {
  if (hint.whose == cache_hint::scope::nobody)
    return;
  to["ttlMs"] = hint.ttl.count();
  to["cacheScope"] = hint.whose == cache_hint::scope::everybody ? "public" : "private";
}

} // namespace

void complete(json::object& result, const requester& to, const json::object& server_info) {
  if (has_handshake(to.spoken))
    return;
  result["resultType"] = "complete";
  auto& meta = result["_meta"];
  if (!meta.is_object())
    meta = json::object{};
  meta.get_object()[meta_key::server] = server_info;
}

msg::spliced_text listing_response(const json::value& id, const msg::document& result, const requester& to,
                                   const json::object& server_info, const cache_hint& hint) {
  if (has_handshake(to.spoken) || !result.value().is_object())
    return make_response(id, result);
  auto& whole = result.value().get_object();
  std::string_view name;
  auto* large = large_member_of(whole, name);
  json::object small;
  for (auto& member : whole)
    if (&member.value() != large)
      small[member.key()] = member.value();
  complete(small, to, server_info);
  add_hint(small, hint);
  if (!large)
    return make_response(id, msg::document{json::value(std::move(small))});
  auto head = text::to_text(json::value(std::move(small)));
  head.pop_back(); // '}'
  return {R"({"jsonrpc":"2.0","id":)" + text::to_text(id) + R"(,"result":)" + head + ",\"" + std::string{name} + "\":",
          result.part(*large), "}}"};
}

} // namespace mcp
