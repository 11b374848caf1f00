// What a program asks of a model, and what comes of it; the same words for every provider and for the client's own
// model.
#pragma once

#include "messages/document.hpp"
#include "messages/errors.hpp"
#include "messages/fields.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace msg {

enum class chat_role : uint8_t { user, assistant, system };

const char* to_string(chat_role role);

/// A model wants a tool to be called.
struct tool_use {
  std::string id;   ///< as the model gave it; unique in its answer
  std::string name; ///< one of those that were offered
  document input;   ///< an object
  document extra;   ///< what the provider wants to have back with it, or null (Gemini: the signature of its thought)
  auto fields() { return std::tie(id, name, input, extra); }
};

/// What came of it.
struct tool_answer {
  std::string id; ///< of the tool_use
  std::string name;
  std::string text;
  bool is_error = false;
  auto fields() { return std::tie(id, name, text, is_error); }
};

struct chat_message {
  chat_role role = chat_role::user;
  std::string text;
  std::vector<tool_use> uses;       ///< of the assistant
  std::vector<tool_answer> answers; ///< of the user: to all uses of the message before
  auto fields() { return std::tie(role, text, uses, answers); }
};

/// A tool that the model may want to be called.
struct offered_tool {
  std::string name; ///< letters, digits, `_` and `-`, at most 64: what every provider takes
  std::string description;
  document input_schema; ///< an object
  auto fields() { return std::tie(name, description, input_schema); }
};

/// A question to a model, checked against every limit and allowlist.
struct model_request {
  std::string model;
  std::string system;                 ///< system prompt; empty: none
  std::vector<chat_message> messages; ///< not empty; none of the role system
  uint32_t max_tokens = 0;            ///< of the answer
  bool stream = false;
  std::vector<offered_tool> tools;
  auto fields() { return std::tie(model, system, messages, max_tokens, stream, tools); }
};

struct token_usage {
  uint32_t input = 0;
  uint32_t output = 0;
  bool is_estimated = false; ///< no route reported it, or what it reported can not be
  auto fields() { return std::tie(input, output, is_estimated); }
};

enum class stop_reason : uint8_t {
  end,        ///< the answer is complete
  max_tokens, ///< it was cut there
  tool_use,   ///< it goes on when the tools have been called
  refused,    ///< the model, or the provider's own filter, does not want to
  other,
};

const char* to_string(stop_reason reason);

struct model_answer {
  std::string text;
  std::vector<tool_use> uses;
  stop_reason stop = stop_reason::end;
  token_usage usage;
  std::string model; ///< that answered, as it names itself; empty: it did not
  /// Beside a fault, this is what came before it: text, usage if it was told. How often the question was read: `usage`
  /// has the last time of it. 0: never, and nothing was used.
  uint32_t times_asked = 1;
  auto fields() { return std::tie(text, uses, stop, usage, model, times_asked); }
};

/// How a request to a provider ended, as far as HTTP goes.
enum class transport : uint8_t {
  answered,      ///< with a status and a whole body
  not_connected, ///< refused, no route, or no such host: nothing was asked
  lost_early,    ///< the connection broke before the first byte of an answer
  lost,          ///< it broke within the answer
  timed_out,
  not_trusted, ///< TLS: the certificate, or no common protocol
  too_large,   ///< a body of more than is taken; with a status, and the beginning of the body
  no_memory,   ///< here, for the answer
  failed,      ///< anything else that curl says
};

/// What came of one request to a provider, beside its body.
struct provider_reply {
  transport how = transport::answered;
  uint16_t status = 0;        ///< 0: there was no head
  std::string retry_after;    ///< header `retry-after`; empty: there was none
  std::string retry_after_ms; ///< header `retry-after-ms`
  std::string problem;        ///< what failed, for a person
  bool was_sent = false;      ///< the whole question went out
  auto fields() { return std::tie(how, status, retry_after, retry_after_ms, problem, was_sent); }
};

// ---- one run -------------------------------------------------------------------------------

/// A program's question, as it was asked.
struct sample_request {
  std::vector<chat_message> messages;
  std::string model;       ///< empty: as the settings say
  uint32_t max_tokens = 0; ///< of the answer; 0: as the settings say
  bool has_system = false; ///< else the run's own system prompt
  std::string system;
  std::vector<std::string> tools; ///< patterns of tools that the model may want to be called; empty: none
  bool stream = false;
  auto fields() { return std::tie(messages, model, max_tokens, has_system, system, tools, stream); }
};

enum class sampling_switch : uint8_t { as_configured, on, off };

/// What the client's request says of sampling; it can only lower what is configured.
struct sampling_options {
  sampling_switch enabled = sampling_switch::as_configured;
  uint32_t rounds_max = 0; ///< 0: as configured
  uint32_t tokens_max = 0;
  std::string system_prompt;       ///< of questions that have none; empty: none
  bool has_models = false;         ///< else all that are configured
  std::vector<std::string> models; ///< that may be asked
  bool verbose = false;            ///< prompts and answers are part of the report
  auto fields() { return std::tie(enabled, rounds_max, tokens_max, system_prompt, has_models, models, verbose); }
};

/// One question to a model, and what came of it.
struct sampling_call {
  std::string route; ///< "client", or the name of the provider
  std::string model;
  token_usage usage;
  uint64_t duration_us = 0;
  stop_reason stop = stop_reason::end;
  uint32_t tool_calls = 0; ///< that the model wanted
  errc error = errc::none; ///< why there is no answer
  std::string prompt;      ///< the last message; only if the client wants to see it
  std::string answer;      ///< the same
  auto fields() { return std::tie(route, model, usage, duration_us, stop, tool_calls, error, prompt, answer); }
};

/// What a run has asked and used.
struct sampling_report {
  bool enabled = false;      ///< else nothing is told of it
  std::string route;         ///< empty: no model was asked
  uint32_t rounds = 0;       ///< questions, tool steps included
  uint64_t tokens = 0;       ///< input and output
  bool is_estimated = false; ///< at least in part
  uint64_t duration_us = 0;  ///< sum
  uint32_t rounds_left = 0;
  uint64_t tokens_left = 0;
  std::vector<sampling_call> calls; ///< in the order of their ends
  auto fields() {
    return std::tie(enabled, route, rounds, tokens, is_estimated, duration_us, rounds_left, tokens_left, calls);
  }
};

} // namespace msg
