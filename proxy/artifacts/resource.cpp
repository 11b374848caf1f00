#include "proxy/artifacts/resource.hpp"

#include "proxy/artifacts/handle.hpp"

#include <boost/json/array.hpp>

namespace artifacts {

namespace json = boost::json;

std::string uri_of(std::string_view handle) { return std::string{uri_prefix}.append(handle); }

std::string handle_of(std::string_view uri) {
  if (!uri.starts_with(uri_prefix) || !is_handle(uri.substr(uri_prefix.size())))
    return {};
  return std::string{uri.substr(uri_prefix.size())};
}

std::string_view media_type(bool is_json) { return is_json ? "application/json" : "text/plain"; }

json::object contents(std::string_view uri, std::string_view media_type, std::string_view text) {
  json::array list;
  list.push_back(json::object{{"uri", uri}, {"mimeType", media_type}, {"text", text}});
  return json::object{{"contents", std::move(list)}};
}

} // namespace artifacts
