#include "cli/markdown.hpp"
#include "cli/reference_parts.hpp"
#include "messages/errors.hpp"

#include <string_view>

namespace cli {

using msg::errc;

namespace {

struct error_words {
  std::string_view meaning, advice; ///< empty: it has none; then the test of the documents fails
};

/// Codes that only guests give; those of the server are all of `errc`.
struct guest_code {
  const char* name;
  error_words words;
};
constexpr guest_code guest_codes[]{
  {"conflict",
   {"`memory.update`: another program has changed the value meanwhile, again and again",
    "try again, or save under a name of your own"}},
  {"forked_process",
   {"a process that the program has forked has called a tool, or anything else of the server",
    "call tools in the program or its threads, and hand the results to processes"}},
};

/// What is of a server, of a tool and of its call.
error_words words_of_calls(errc code) {
  switch (code) {
    case errc::unknown_server:
      return {"no server of that name is configured", "`suggestions` has the nearest names; `code-executor servers` "
                                                      "lists what was found, and where"};
    case errc::unknown_tool:
      return {"the server has no such tool, or none of that name is known",
              "`suggestions` has the nearest names; `searchTools` finds by what it should do"};
    case errc::not_allowed:
      return {"`allowedTools` of the run, the policy of the settings, or what a client can do, does not permit it",
              "the message has the pattern that would allow it"};
    case errc::tool_failed:
      return {"the tool reported an error; the message is the tool's", "read it: the call has reached the server"};
    case errc::server_start_failed:
      return {"the server could not be started, or has not finished its handshake",
              "start its command by hand; the message ends with what it said on stderr"};
    case errc::server_died:
      return {"the server ended with the call open; whether that was carried out nobody knows",
              "look at what it has done before you make the call again"};
    case errc::server_unavailable:
      return {"the server failed a moment ago and is left alone for a while", "wait for `retryAfterMs`"};
    case errc::protocol_violation:
      return {"the server, or the client, sent what is not the protocol",
              "a mistake of it: `audit show` and its log tell more"};
    case errc::call_timeout:
      return {"no answer in time: from the server, or from a person",
              "`timeoutMs` of the server's entry, `runs.questionTimeoutMs`"};
    case errc::rate_limited:
      return {"too many in a short time", "wait for `retryAfterMs`; `rateLimit` of the settings or of the entry"};
    case errc::needs_approval:
      return {"the server's entry stands in a file of the project, and you have not approved it",
              "`code-executor trust --server NAME`"};
    case errc::not_approved:
      return {"`security.confirm` wants a person's word on this call, and there is none",
              "the program may go on without; the message says why nobody has agreed"};
    case errc::needs_login: return {"the server wants to know who asks", "`code-executor login NAME`"};
    case errc::tool_changed:
      return {"the tool is not what was approved, and `security.pinTools` is `block`",
              "`code-executor trust NAME --show`, then `code-executor trust NAME`"};
    default: return {};
  }
}

/// What is of a run, its program and the server itself.
error_words words_of_runs(errc code) {
  switch (code) {
    case errc::invalid_argument:
      return {"a parameter is missing, of the wrong type or out of range", "the message names it and what it takes"};
    case errc::run_timeout:
      return {"the run's own time is over", "a larger `timeoutMs`; the message says what the run was waiting for"};
    case errc::cancelled:
      return {"the client has cancelled or left, or the run that asked is over", "await what a program asks for"};
    case errc::dangerous_code:
      return {"the program has what `security.dangerousPatterns` forbids", "the message has the line and what for"};
    case errc::model_failed:
      return {"the model, its provider or the client that has it answered with an error, or not at all",
              "[sampling.md](../sampling.md)"};
    case errc::overloaded:
      return {"a queue is full, or the wait in it was too long", "try again later; `runs.maxConcurrent`, "
                                                                 "`runs.queueSize`, `runs.queueTimeoutMs`"};
    case errc::limit_exceeded: return {"a limit was reached", "the message has the limit, its value and its key"};
    case errc::unknown_handle:
      return {"no output of that name is kept, or not any more", "run the program again; `outputs.ttlSeconds`"};
    case errc::runtime_missing: return {"this machine lacks what the language needs", "`code-executor doctor`"};
    case errc::guest_died:
      return {"the program's process ended before the program did", "the message has the signal or the exit code"};
    case errc::guest_protocol:
      return {"the program broke the channel to the server", "leave the descriptors alone that it has not opened"};
    case errc::shutting_down: return {"the server is being stopped", "start it again"};
    case errc::internal: return {"a mistake of code-executor", "please report it, with the lines of the log"};
    default: return {};
  }
}

std::string error_row(std::string_view name, const error_words& words) {
  return markdown_row({markdown_code(name), std::string{words.meaning}, std::string{words.advice}});
}

} // namespace

std::string errors_reference() {
  std::string out = "# Every error code\n\nThe `code` of an `MCPError`, in programs and in the JavaScript API; the "
                    "message says what happened, where, and what to do.\n[troubleshooting.md](../troubleshooting.md) "
                    "goes by the text of the message.\n\n";
  out += markdown_head({"code", "what it means", "what to do"});
  for (int i = static_cast<int>(errc::none) + 1; i <= static_cast<int>(errc::internal); ++i) {
    auto code = static_cast<errc>(i);
    auto of_calls = words_of_calls(code);
    out += error_row(to_string(code), of_calls.meaning.empty() ? words_of_runs(code) : of_calls);
  }
  for (auto& each : guest_codes)
    out += error_row(each.name, each.words);
  return out;
}

} // namespace cli
