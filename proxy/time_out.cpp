#include "proxy/time_out.hpp"

#include "messages/limits.hpp"
#include "text/utf8.hpp"

#include <algorithm>
#include <map>

namespace proxy {

namespace {

struct same_calls {
  const waiting_call* oldest = nullptr;
  size_t count = 0;
};

std::vector<same_calls> by_name(const std::vector<waiting_call>& calls) {
  std::map<std::string, same_calls> grouped;
  for (auto& call : calls) {
    auto& same = grouped[call.name];
    ++same.count;
    if (!same.oldest || call.waited_ms > same.oldest->waited_ms)
      same.oldest = &call;
  }
  std::vector<same_calls> all;
  all.reserve(grouped.size());
  for (auto& [name, same] : grouped)
    all.push_back(same);
  std::stable_sort(all.begin(), all.end(), [](auto& a, auto& b) { return a.oldest->waited_ms > b.oldest->waited_ms; });
  return all;
}

/// One that is being started has been sent nothing.
std::string unsent_text(const waiting_call& call) {
  if (call.unsent == 0 || call.starting_ms > 0)
    return {};
  return "; " + std::to_string(call.unsent) + (call.unsent == 1 ? " call of this run waits" : " calls of this run wait")
         + " until the server has answered others";
}

std::string text_of(const same_calls& same) {
  auto& call = *same.oldest;
  auto name = text::quoted(call.name, msg::limits::child_tool_name_bytes_max);
  auto text = name + (same.count > 1 ? " x " + std::to_string(same.count) : "");
  auto server = text::quoted(call.server, msg::limits::child_tool_name_bytes_max);
  text += call.starting_ms == 0 ? " (" + seconds_text(call.waited_ms) + " without an answer"
                                : " (server '" + server + "' has been starting for " + seconds_text(call.starting_ms);
  return text + unread_text(call.unread_ms) + unsent_text(call)
         + (call.printed.empty() ? "" : "; the server printed: " + call.printed) + ")";
}

std::string open_text(const waited_for& open) {
  std::string text;
  auto all = by_name(open.calls);
  for (size_t i = 0; i < all.size() && i < calls_named_max; ++i)
    text += (i == 0 ? "Still open: " : ", ") + text_of(all[i]);
  if (all.size() > calls_named_max)
    text += ", and " + std::to_string(all.size() - calls_named_max) + " more tools";
  if (open.others > 0)
    text += (text.empty() ? "Still open: " : ", and ") + std::to_string(open.others)
            + (open.others == 1 ? " other request" : " other requests");
  if (!text.empty())
    return text + ".";
  if (open.has_begun)
    return open.has_network ? "No call was open: the program itself took the time, or a host that it was waiting for."
                            : "No call was open: the program itself took the time.";
  return "The program had not begun: starting its sandbox took the time. Nothing of it was carried out; "
         "run it again, with a larger timeoutMs while the machine is busy.";
}

} // namespace

std::string seconds_text(uint64_t ms) {
  auto tenths = (ms + 50) / 100;
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " s";
}

std::string unread_words(uint64_t unread_ms) { return " has not read its requests for " + seconds_text(unread_ms); }

std::string unread_text(uint64_t unread_ms) { return unread_ms == 0 ? "" : "; the server" + unread_words(unread_ms); }

std::string time_out_text(uint64_t timeout_ms, uint64_t most_ms, const waited_for& open) {
  auto most = timeout_ms < most_ms ? "; at most " + std::to_string(most_ms) : ", which is the most";
  return "Execution timed out after " + std::to_string(timeout_ms) + " ms (timeoutMs" + most + ")\n" + open_text(open);
}

} // namespace proxy
