// What is asked of a client in the middle of a run, on its way there: by a server whose call it is, by the program, or
// by us.
#pragma once

#include "messages/document.hpp"
#include "messages/fields.hpp"
#include "messages/tool_call.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace msg {

enum class question_kind : uint8_t {
  form,     ///< elicitation/create: the person fills in a form
  url,      ///< the same with `mode: "url"`: the person goes there
  sampling, ///< sampling/createMessage: the client's model answers
  roots,    ///< roots/list
  login, ///< ours, with the params of `url`: that the person agrees is not the end, which whoever asks tells when it is
};

/// As in the protocol.
std::string_view to_string(question_kind kind);

/// Whose question it is; a person reads that first.
enum class question_asker : uint8_t {
  server,  ///< an MCP server, in the middle of a call
  program, ///< askUser()
  policy,  ///< security.confirm: whether calls may be made
};

struct server_question {
  call_key call; ///< in the middle of which it is asked; of others than servers: call 0
  bool is_sure =
    true; ///< else of several calls of one client, which the server does not tell apart, it is the last one
  uint64_t number = 0; ///< of all questions of one connection to its server
  question_kind kind = question_kind::form;
  std::string server;
  std::string tool; ///< whose call it is, if that is sure; of others than tools/call: the method
  document params;  ///< an object, as the server sent it
  question_asker asker = question_asker::server;
  bool is_asked_elsewhere = false; ///< of a login: another run of the client has asked, and this one only waits
  auto fields() { return std::tie(call, is_sure, number, kind, server, tool, params, asker, is_asked_elsewhere); }
};

/// So long a person has to answer: what the SDKs of others wait for one (10 minutes).
inline constexpr std::chrono::milliseconds question_wait_max{600'000};
/// Of one question of a server: forms have a few fields, and what a model is asked may hold an image.
inline constexpr size_t question_bytes_max = 1u << 20;

} // namespace msg
