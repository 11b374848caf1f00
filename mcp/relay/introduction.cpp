#include "mcp/relay/introduction.hpp"

#include "mcp/declared_abilities.hpp"
#include "mcp/fields.hpp"
#include "mcp/own_requests.hpp"
#include "messages/client_abilities.hpp"

namespace mcp::relay {

namespace json = boost::json;

introduction introduced(const json::object& params) {
  introduction out;
  if (auto* info = params.if_contains("clientInfo"))
    out.info = *info;
  if (auto* capabilities = object_in(&params, "capabilities"))
    out.capabilities = *capabilities;
  out.version = string_or(params, "protocolVersion");
  return out;
}

introduction introduced_by_envelope(const message_view& request) {
  introduction out;
  auto* meta = object_in(request.params, "_meta");
  if (auto* info = meta ? meta->if_contains(meta_key::client) : nullptr)
    out.info = *info;
  if (auto* capabilities = object_in(meta, meta_key::capabilities))
    out.capabilities = *capabilities;
  return out;
}

introduction anybody() {
  msg::client_abilities all;
  all.samples = all.samples_with_tools = all.fills_forms = all.opens_urls = all.has_roots = true;
  return {own_name(), declared(all), {}};
}

json::value name_of_client(const introduction& who) { return who.info.is_null() ? json::value(own_name()) : who.info; }

json::object handshake_params(const introduction& who) {
  return {{"protocolVersion", who.has_handshake() ? std::string_view{who.version} : name_of(latest_revision)},
          {"capabilities", who.capabilities},
          {"clientInfo", name_of_client(who)}};
}

json::object modern_capabilities(const introduction& who) {
  auto out = who.capabilities;
  if (who.has_handshake() && out.contains("roots"))
    out["roots"] = json::object{}; // that its list has changed is not told in that revision
  if (who.has_handshake())
    out.erase("tasks"); // another protocol of the same name
  return out;
}

json::object modern_meta(const introduction& who) {
  return {{meta_key::version, name_of(revision::r2026_07_28)},
          {meta_key::capabilities, modern_capabilities(who)},
          {meta_key::client, name_of_client(who)}};
}

} // namespace mcp::relay
