#include "proxy/artifact_requests.hpp"

#include "messages/limits.hpp"
#include "proxy/parameter_reader.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <string>

namespace proxy {

namespace json = boost::json;
namespace limits = msg::limits;

msg::outcome<msg::artifact_query> parse_output_request(const json::object& params) {
  static const json::value nothing;
  parameter_reader r{"readOutput", params};
  msg::artifact_query out;
  auto *handle = r.given("handle"), *path = r.given("path");
  auto is_text = [](const json::value* v) {
    return v && v->is_string() && v->get_string().size() <= limits::path_bytes_max;
  };
  if (!is_text(handle))
    r.complain("handle", "a text such as \"out_abcdefghij\"", handle ? handle : &nothing);
  if (path && !is_text(path))
    r.complain("path", "a text such as \"items[3].name\"", path);
  out.offset = static_cast<uint64_t>(r.integer_from_0("offset", 0));
  if (r.given("limit"))
    out.limit = static_cast<uint64_t>(r.integer_from_0("limit", 0));
  if (!r.ok())
    return std::move(r.problem);
  out.handle = handle->get_string();
  out.path = path ? std::string{path->get_string()} : std::string{};
  return out;
}

} // namespace proxy
