#include "mcp/question_wording.hpp"

#include "mcp/fields.hpp"
#include "messages/limits.hpp"
#include "text/printable.hpp"
#include "text/utf8.hpp"

#include <boost/json/object.hpp>

#include <utility>

namespace mcp {

namespace json = boost::json;
using msg::errc;
using msg::fault;
using msg::question_kind;

namespace {

constexpr size_t shown_tool_bytes_max = 128;

/// Who asks. Names of tools are the server's own words.
std::string asker_of(const msg::server_question& asked) {
  return "[MCP server '" + asked.server + "', tool '" + text::printable(text::quoted(asked.tool, shown_tool_bytes_max))
         + "'] ";
}

bool wants_tools(const msg::document& params) {
  auto* all = params.value().if_object();
  return all && (all->contains("tools") || all->contains("toolChoice"));
}

void word_form_or_url(json::object& params, const msg::server_question& asked, const requester& client) {
  params["message"] = asker_of(asked) + std::string{string_or(params, "message")};
  if (client.spoken < revision::r2025_11_25)
    params.erase("mode"); // it only knows forms
  if (!has_handshake(client.spoken))
    params.erase("elicitationId");
  else if (asked.kind == question_kind::url && !params.contains("elicitationId"))
    params["elicitationId"] = std::to_string(asked.call.run) + "-" + std::to_string(asked.number); // it is wanted there
}

bool has_array(const json::object& in, std::string_view key) {
  auto* found = in.if_contains(key);
  return found && found->is_array();
}

bool is_answer(question_kind kind, const json::object& said) {
  switch (kind) {
    case question_kind::form:
    case question_kind::url: {
      auto action = string_or(said, "action");
      auto* content = said.if_contains("content");
      bool is_content = !content || content->is_null() || content->is_object();
      return is_content && (action == "accept" || action == "decline" || action == "cancel");
    }
    case question_kind::sampling: return said.contains("content");
    case question_kind::roots: return has_array(said, "roots");
  }
  return false;
}

} // namespace

std::string problem_of_asking(const msg::server_question& asked, const requester& client) {
  auto& can = client.abilities;
  switch (asked.kind) {
    case question_kind::form: return can.fills_forms ? "" : "this client shows no forms (capability elicitation)";
    case question_kind::url: return can.opens_urls ? "" : "this client opens no addresses (capability elicitation.url)";
    case question_kind::roots: return can.has_roots ? "" : "this client has no roots (capability roots)";
    case question_kind::sampling: break;
  }
  if (!can.samples)
    return "this client has no model that a server may ask (capability sampling)";
  return can.samples_with_tools || !wants_tools(asked.params)
           ? ""
           : "this client's model may not be given tools (capability sampling.tools)";
}

msg::document worded_for(const msg::server_question& asked, const requester& client) {
  auto* given = asked.params.value().if_object();
  auto params = given ? *given : json::object{};
  params.erase("_meta"); // which is of each hop
  if (asked.kind == question_kind::form || asked.kind == question_kind::url)
    word_form_or_url(params, asked, client);
  return msg::document{json::value(std::move(params))};
}

msg::outcome<msg::document> checked_answer(question_kind kind, const msg::document& said) {
  auto* answer = said.value().if_object();
  if (!answer || !is_answer(kind, *answer))
    return fault{errc::protocol_violation, "the client's answer to " + std::string{to_string(kind)} + " is none: "
                                             + text::quoted(said.text(), msg::limits::child_quote_bytes_max)};
  if (!answer->contains("_meta") && !answer->contains("resultType"))
    return said;
  auto own = *answer;
  own.erase("_meta");
  own.erase("resultType");
  return msg::document{json::value(std::move(own))};
}

} // namespace mcp
