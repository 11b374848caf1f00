#include "mcp/declared_abilities.hpp"

namespace mcp {

namespace json = boost::json;

json::object declared(const msg::client_abilities& abilities) {
  json::object out;
  if (abilities.fills_forms || abilities.opens_urls) {
    auto& elicitation = out["elicitation"].emplace_object();
    if (abilities.fills_forms)
      elicitation["form"] = json::object{};
    if (abilities.opens_urls)
      elicitation["url"] = json::object{};
  }
  if (abilities.samples)
    out["sampling"] = abilities.samples_with_tools ? json::object{{"tools", json::object{}}} : json::object{};
  if (abilities.has_roots)
    out["roots"] = json::object{};
  return out;
}

} // namespace mcp
