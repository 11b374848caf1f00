#include "actors/client/run_intake.hpp"

#include <algorithm>
#include <utility>

namespace client {

using msg::errc;
using msg::fault;

taken_call run_intake::take(const surface::tool& t, const boost::json::object& arguments) const {
  taken_call out;
  auto parsed = surface::parse_run(t, arguments, limits_);
  if (!parsed.ok()) {
    out.refused = std::move(parsed.error);
    out.present.format = format_of(t);
    return out;
  }
  out.present.servers = std::move(parsed.value.servers);
  out.present.format = parsed.value.format;
  out.request = std::move(parsed.value.request);
  if (auto& problem = t.language == msg::language::typescript ? typescript_problem_ : python_problem_; !problem.empty())
    out.refused = {errc::runtime_missing, std::string{to_string(t.language)} + " is not available: " + problem};
  return out;
}

surface::output_format run_intake::format_of(const surface::tool& t) const {
  return t.shape == surface::result_shape::bridge ? limits_.bridge_format : surface::output_format::usual;
}

fault check_servers(const std::vector<std::string>& wanted, const std::vector<msg::server_status>& known) {
  auto unknown = std::find_if(wanted.begin(), wanted.end(), [&](auto& name) {
    return std::none_of(known.begin(), known.end(), [&](auto& s) { return s.name == name; });
  });
  if (unknown == wanted.end())
    return {};
  return {errc::unknown_server, "Unknown MCP server: " + *unknown};
}

fault nested_refusal() {
  return {errc::not_allowed,
          "code-executor does nothing for a program of code-executor, its own or that of another one "
          "which has started it: it would be held to none of the limits of the program outside. "
          "Configure the servers where the outer one finds them, and remove the entry that leads to "
          "code-executor"};
}

} // namespace client
