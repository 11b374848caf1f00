#include "mcp/question_wording.hpp"

#include "mcp/asked_secrets.hpp"
#include "mcp/fields.hpp"
#include "mcp/own_requests.hpp"
#include "messages/limits.hpp"
#include "text/printable.hpp"
#include "text/utf8.hpp"

#include <boost/json/object.hpp>

#include <algorithm>
#include <utility>

namespace mcp {

namespace json = boost::json;
using msg::errc;
using msg::fault;
using msg::question_asker;
using msg::question_kind;

namespace {

constexpr size_t shown_name_bytes_max = 128;

/// Lines of a message; the rest of it is one more. What scrolls away who asks is no question.
constexpr size_t message_lines_max = 40;

/// A name in quotes and brackets can not end these.
std::string shown_name(std::string_view name) {
  auto out = text::printable(text::quoted(name, shown_name_bytes_max));
  std::replace_if(
    out.begin(), out.end(), [](char c) { return c == '\'' || c == '[' || c == ']'; }, '_');
  return out;
}

/// Who asks. No name of a server ends its brackets, so none is taken for us.
std::string asker_of(const msg::server_question& asked) {
  if (asked.asker == question_asker::program)
    return "[program in code-executor] ";
  if (asked.asker == question_asker::policy || asked.kind == question_kind::login)
    return "[" + std::string{own_program_name} + "] ";
  return "[MCP server '" + shown_name(asked.server) + "'"
         + (asked.tool.empty() ? "" : ", tool '" + shown_name(asked.tool) + "'") + "] ";
}

/// Names of its own: it may be shown next to ours.
json::object asker_fields(const msg::server_question& asked) {
  json::object out{{"server", shown_name(asked.server)}};
  if (!asked.tool.empty())
    out["tool"] = shown_name(asked.tool);
  return out;
}

/// Harmless where it is shown: nothing in it writes over who asks, and no other line looks like that one.
std::string shown_message(std::string_view message) {
  std::string out;
  for (size_t lines = 1;; ++lines) {
    auto end = lines < message_lines_max ? message.find('\n') : message.npos;
    out += text::printable(message.substr(0, end));
    if (end == message.npos)
      return out;
    out += "\n  ";
    message.remove_prefix(end + 1);
  }
}

bool is_of_an_address(question_kind kind) { return kind == question_kind::url || kind == question_kind::login; }

bool is_web_address(std::string_view url) { return url.starts_with("https://") || url.starts_with("http://"); }

/// Why nobody would know what to do with it; empty: somebody would.
std::string problem_of_form_or_url(const msg::server_question& asked) {
  static const json::object nothing;
  auto* given = asked.params.value().if_object();
  auto& params = given ? *given : nothing;
  if (is_of_an_address(asked.kind))
    return is_web_address(string_or(params, "url")) ? "" : "what it wants to be opened is no address of the web";
  auto* mode = params.if_contains("mode");
  if (mode && string_or(params, "mode") != "form")
    return "it asks in a way that is not known ('mode')";
  auto* schema = params.if_contains("requestedSchema");
  if (!schema || !schema->is_object())
    return "its form is none ('requestedSchema')";
  auto secret = secret_asked_for(params);
  return secret.empty() ? "" : "secrets are never asked for by a form (" + secret + ")";
}

bool wants_tools(const msg::document& params) {
  auto* all = params.value().if_object();
  return all && (all->contains("tools") || all->contains("toolChoice"));
}

void word_form_or_url(json::object& params, const msg::server_question& asked, const requester& client) {
  params["message"] = asker_of(asked) + shown_message(string_or(params, "message"));
  if (client.spoken < revision::r2025_11_25)
    params.erase("mode"); // it only knows forms
  if (!has_handshake(client.spoken))
    params.erase("elicitationId");
  else if (is_of_an_address(asked.kind) && !params.contains("elicitationId"))
    params["elicitationId"] = std::to_string(asked.call.run) + "-" + std::to_string(asked.number); // it is wanted there
}

bool has_array(const json::object& in, std::string_view key) {
  auto* found = in.if_contains(key);
  return found && found->is_array();
}

bool is_answer(question_kind kind, const json::object& said) {
  switch (kind) {
    case question_kind::form:
    case question_kind::url:
    case question_kind::login: {
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
    case question_kind::form:
      return can.fills_forms ? problem_of_form_or_url(asked) : "this client shows no forms (capability elicitation)";
    case question_kind::url:
    case question_kind::login:
      return can.opens_urls && client.spoken >= revision::r2025_11_25
               ? problem_of_form_or_url(asked)
               : "this client opens no addresses (capability elicitation.url)";
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
  if (asked.kind == question_kind::form || is_of_an_address(asked.kind))
    word_form_or_url(params, asked, client);
  if (asked.kind == question_kind::sampling)
    params["_meta"] = json::object{{asker_key, asker_fields(asked)}};
  return msg::document{json::value(std::move(params))};
}

msg::outcome<msg::document> checked_answer(question_kind kind, const msg::document& said) {
  auto* answer = said.value().if_object();
  if (!answer || !is_answer(kind, *answer))
    return fault{errc::protocol_violation, // and not what it says: that is for the server
                 "what the client has answered to " + std::string{to_string(kind)} + " is no answer to that"};
  if (!answer->contains("_meta") && !answer->contains("resultType"))
    return said;
  auto own = *answer;
  own.erase("_meta");
  own.erase("resultType");
  return msg::document{json::value(std::move(own))};
}

} // namespace mcp
