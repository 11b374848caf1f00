#include "proxy/surface/resources.hpp"

#include "proxy/artifacts/resource.hpp"
#include "proxy/surface/capabilities.hpp"

#include <boost/json/array.hpp>

namespace surface {

namespace json = boost::json;

json::object resource_list(const std::vector<msg::kept_artifact>& kept) {
  json::array list;
  list.push_back(capabilities_resource());
  for (auto& output : kept)
    list.push_back(json::object{{"uri", artifacts::uri_of(output.handle)},
                                {"name", output.handle},
                                {"description", output.is_json ? "Value of a run that was too large to show"
                                                               : "Text of a run that was too large to show"},
                                {"mimeType", artifacts::media_type(output.is_json)},
                                {"size", output.bytes}});
  return json::object{{"resources", std::move(list)}};
}

json::object resource_templates() {
  json::array list;
  list.push_back(json::object{
    {"uriTemplate", std::string{artifacts::uri_prefix} + "{handle}"},
    {"name", "outputs"},
    {"description",
     "What a run returned or printed and was too large to show, by the handle in its result, until it expires"}});
  return json::object{{"resourceTemplates", std::move(list)}};
}

} // namespace surface
