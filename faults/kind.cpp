#include "faults/kind.hpp"

#include <algorithm>

namespace faults {

namespace {

constexpr std::array<kind_facts, kinds> table{{
  {kind::latency, "latency",
   "The answer comes later: by `ms`, or spread so that half come within `p50` and 99 of 100 within `p99`.",
   "a cold start, a busy database, a distant region", "ms p50 p99", "call start list model"},
  {kind::error, "error",
   "The call fails: with the JSON-RPC error `code` and `message`, or with `text` as a result that says isError.",
   "a bug of the server, a failing service behind it", "code message text effect", "call start list model"},
  {kind::timeout, "timeout", "No answer ever comes; with `effect` \"done\" the server has carried the call out.",
   "a lost connection behind the server, a lock that is never released", "effect", "call start list model"},
  {kind::drop, "drop", "One message is lost: the `request` or the `answer`.", "a proxy that restarts, a full queue",
   "what", "call start list"},
  {kind::disconnect, "disconnect", "The connection is closed in the middle of the call.",
   "a load balancer's idle limit, a new version being rolled out", "effect", "call start list model"},
  {kind::crash, "crash", "The process of the server is killed in the middle of the call.",
   "an out-of-memory kill, a null pointer", "effect", "call start list"},
  {kind::hang, "hang", "From now on the server answers nothing: for `ms`, or until it is started anew.",
   "a deadlock, a stopped event loop", "ms", "call start"},
  {kind::garbage, "garbage", "Instead of the answer comes `text`, which is no JSON.",
   "a stack trace or a progress bar on stdout, a proxy's page of HTML", "text", "call start list model"},
  {kind::truncate, "truncate",
   "The answer is cut off: the share `keep` of it comes. `what`: the message, which is no JSON then, or only the texts "
   "of the result.",
   "a broken pipe, a limit of a proxy's buffer, a page that was loaded by half", "keep what", "call list model"},
  {kind::duplicate, "duplicate", "The `request` reaches the server twice, or the `answer` comes twice.",
   "a proxy that tries again, a queue that delivers at least once", "what", "call"},
  {kind::reorder, "reorder", "The answer comes after the next one of the server, at the latest after `ms`.",
   "parallel workers behind the server", "ms", "call"},
  {kind::slow_stream, "slow_stream", "The answer trickles: it comes when it would be there at `bytesPerSecond`.",
   "a mobile network, a throttled tenant", "bytesPerSecond", "call list"},
  {kind::rate_limited, "rate_limited",
   "The call is refused as one too many; `retryAfterMs` is told. `as`: a JSON-RPC error, or a result that says "
   "isError.",
   "the quota at the full hour, a noisy neighbour with the same key", "retryAfterMs as", "call start list model"},
  {kind::unauthorized, "unauthorized", "The call is refused: `message` says that the login is over.",
   "an access token that has expired, a revoked key", "message as", "call start list model login"},
  {kind::schema_change, "schema_change",
   "A parameter of the tool (with `on` \"list\": of the one that is called `tool`) is called otherwise from now on: "
   "`parameter`, else its first required one, gets \"_v2\"; the server says that its tools have changed.",
   "a half-deployed new version", "parameter tool", "call list"},
  {kind::tool_gone, "tool_gone",
   "The tool (with `on` \"list\": the one that is called `tool`) does not exist any more; the server says that its "
   "tools have changed.",
   "a feature flag, a licence that has ended, a rollback", "tool", "call list"},
  {kind::wrong_type, "wrong_type", "The result has other types than its schema: numbers are texts, lists are objects.",
   "a serializer of another language, a new version of the service behind", "", "call"},
  {kind::empty, "empty", "The result is empty, and no error.",
   "an index that is being rebuilt, a search on the wrong shard", "", "call list"},
  {kind::huge, "huge", "The result has `bytes` more of text.",
   "a missing limit or page size, a log instead of its last lines", "bytes", "call list"},
  {kind::injection, "injection",
   "The result says besides that the reader is to call `tool` with `arguments` (harmless: a canary).",
   "a web page, an issue or a mail that was written for agents", "tool arguments text", "call"},
  {kind::refusal, "refusal", "The model does not want to answer.", "a filter of the provider, an overcautious model",
   "", "model"},
  {kind::nonsense, "nonsense", "The model answers with `text`, whatever it was asked.",
   "an overloaded or quantized model, a wrong template of a server", "text", "model"},
  {kind::wrong_scope, "wrong_scope", "The server over HTTP wants a login with another `scope` for that.",
   "a permission that was taken away, a new tool that needs more", "message scope", "login"},
}};

} // namespace

const std::array<kind_facts, kinds>& all_kinds() { return table; }

const kind_facts& facts_of(kind what) { return table[static_cast<size_t>(what)]; }

std::optional<kind> kind_named(std::string_view name) {
  auto found = std::find_if(table.begin(), table.end(), [name](auto& facts) { return facts.name == name; });
  return found == table.end() ? std::nullopt : std::optional{found->what};
}

std::string_view to_string(moment when) {
  switch (when) {
    case moment::start: return "start";
    case moment::list: return "list";
    case moment::model: return "model";
    case moment::login: return "login";
    default: return "call";
  }
}

bool has_word(std::string_view words, std::string_view word) {
  while (!words.empty()) {
    auto end = std::min(words.find(' '), words.size());
    if (words.substr(0, end) == word)
      return true;
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return false;
}

} // namespace faults
