#include "mcp/opening_answer.hpp"

#include "mcp/envelope.hpp"
#include "mcp/fields.hpp"
#include "mcp/own_requests.hpp"
#include "mcp/told_error.hpp"
#include "messages/limits.hpp"
#include "text/utf8.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>

namespace mcp {

namespace json = boost::json;
namespace limits = msg::limits;

namespace {

/// Of a list of revisions, what is looked at: there are five.
constexpr size_t named_revisions_max = 100;
struct named_revisions {
  bool has_modern = false, has_legacy = false;
  std::string names; ///< for a person
};

named_revisions read_names(const json::value* list, const masking& masked) {
  named_revisions out;
  if (!list || !list->is_array())
    return out;
  auto& all = list->get_array();
  for (size_t i = 0; i < std::min(all.size(), named_revisions_max); ++i) {
    if (!all[i].is_string())
      continue;
    std::string_view name = all[i].get_string();
    out.has_modern |= name == name_of(revision::r2026_07_28);
    out.has_legacy |= is_known(name);
    if (out.names.size() < limits::child_quote_bytes_max)
      out.names += (out.names.empty() ? "" : ", ") + masked_beginning(name, limits::child_quote_bytes_max, masked);
  }
  return out;
}

opening_answer failed(std::string problem) { return {opening_answer::kind::failed, std::move(problem)}; }

/// `info`: what the server says of itself. Whatever is between us, such as a proxy or a container, hands that on.
bool is_of_ourselves(const json::value* info) {
  return info && info->is_object() && string_or(info->get_object(), "name") == own_program_name;
}

/// It would be asked by itself, or a program in it would be held to none of the limits of the program outside.
opening_answer itself() {
  return failed("is this program (it calls itself " + std::string{own_program_name}
                + "), which does nothing for itself: remove its entry here; servers that it has are to be configured "
                  "where this one finds them");
}

opening_answer of_names(const named_revisions& named, opening_answer::kind if_modern) {
  if (named.has_modern)
    return {if_modern};
  if (named.has_legacy || named.names.empty())
    return {opening_answer::kind::legacy};
  return failed("speaks the protocol revisions " + named.names + ", none of which is supported");
}

void read_capabilities(const json::object& result, opening_answer& to) {
  auto* capabilities = result.if_contains("capabilities");
  if (!capabilities || !capabilities->is_object())
    return;
  auto* tools = capabilities->get_object().if_contains("tools");
  to.has_tools = tools != nullptr;
  to.takes_log_levels = object_in(&capabilities->get_object(), "logging") != nullptr;
  auto* changes = tools && tools->is_object() ? tools->get_object().if_contains("listChanged") : nullptr;
  to.announces_changes = changes && changes->is_bool() && changes->get_bool();
}

opening_answer of_refusal(const json::value& error, const masking& masked) {
  auto* fields = error.if_object();
  auto* code = fields ? fields->if_contains("code") : nullptr;
  auto* data = fields ? fields->if_contains("data") : nullptr;
  bool names_revisions =
    code && code->is_int64() && code->get_int64() == rpc_error::unsupported_revision && data && data->is_object();
  if (!names_revisions)
    return {opening_answer::kind::legacy};
  return of_names(read_names(data->get_object().if_contains("supported"), masked), opening_answer::kind::again);
}

} // namespace

opening_answer read_discovery(const message_view& response, const masking& masked) {
  if (response.error)
    return of_refusal(*response.error, masked);
  auto* result = response.result->if_object();
  auto* list = result ? result->if_contains("supportedVersions") : nullptr;
  if (!list || !list->is_array())
    return {opening_answer::kind::legacy}; // it answers whatever it is asked
  auto out = of_names(read_names(list, masked), opening_answer::kind::modern);
  if (out.what != opening_answer::kind::modern)
    return out;
  auto* meta = result->if_contains("_meta");
  if (meta && meta->is_object() && is_of_ourselves(meta->get_object().if_contains(meta_key::server)))
    return itself();
  read_capabilities(*result, out);
  return out;
}

opening_answer not_read() {
  auto out = failed("does not read its requests");
  out.is_unread = true;
  return out;
}

opening_answer read_handshake(const message_view& response, const masking& masked) {
  if (response.error) {
    auto out = failed("refused initialize: " + told_error(*response.error, limits::child_problem_bytes_max, masked));
    out.is_refusal = true;
    return out;
  }
  auto* result = response.result->if_object();
  if (!result)
    return failed("answered initialize with no object");
  auto version = string_or(*result, "protocolVersion");
  if (!is_known(version)) {
    auto out = failed("speaks protocol revision '" + masked_beginning(version, limits::child_quote_bytes_max, masked)
                      + "', which is not supported");
    out.is_refusal = version == name_of(revision::r2026_07_28); // which does not begin so: it is asked as it wants
    return out;
  }
  if (is_of_ourselves(result->if_contains("serverInfo")))
    return itself();
  opening_answer out{opening_answer::kind::legacy};
  read_capabilities(*result, out);
  return out;
}

} // namespace mcp
