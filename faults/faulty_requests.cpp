#include "faults/faulty_requests.hpp"

#include "faults/answers.hpp"
#include "faults/timer.hpp"
#include "mcp/http_session.hpp"

#include <system_error>

namespace faults {

using std::chrono::milliseconds;

namespace {

/// The second one of a request that is sent twice: no request of ours has such a number.
constexpr uint64_t doubled_key = uint64_t{1} << 62U;
/// As JSON-RPC has it.
constexpr int64_t invalid_params = -32602;

} // namespace

bool faulty_requests::send(msg::spliced_text message, uint64_t key, mcp::request_labels labels) {
  if (line_->hangs) {
    if (held_.size() >= watched_max)
      return false;
    held_.push_back({std::move(message), key, std::move(labels)});
    return true;
  }
  auto when = moment_of(labels.about.method);
  if (!when || key == 0 || !line_->server.faults->concerns(labels.about))
    return pass(std::move(message), key, std::move(labels));
  if (*when == moment::start)
    return start(std::move(message), key, std::move(labels));
  auto by = line_->server.faults->choose(line_->server.name, labels.about, *when);
  if (*when == moment::call) {
    answers_->note_call(key);
    if (labels.about.call.run == 0) // a client's own; those of runs are seen before it is known which tools there are
      line_->server.faults->watch(by.name, message.body);
    line_->trace_begin(by, message.body, key);
  }
  if (!by.what.is_hit())
    return pass(std::move(message), key, std::move(labels));
  tell(by, labels.about.call);
  line_->remember(message.body, key);
  return hit(std::move(by), std::move(message), key, std::move(labels));
}

/// What begins a connection may be two requests, until one is understood: they have the same fate.
bool faulty_requests::start(msg::spliced_text message, uint64_t key, mcp::request_labels labels) {
  bool is_first = !start_;
  if (is_first)
    start_ = line_->server.faults->choose(line_->server.name, labels.about, moment::start);
  if (!start_->what.is_hit())
    return pass(std::move(message), key, std::move(labels));
  if (is_first)
    tell(*start_, {});
  return hit(*start_, std::move(message), key, std::move(labels));
}

/// As it is, but for what is known of tools that have changed.
bool faulty_requests::pass(msg::spliced_text message, uint64_t key, mcp::request_labels labels) {
  auto inner = line_->inner.lock();
  if (!inner)
    return true; // `closed` tells what becomes of it
  auto& about = labels.about;
  if (line_->server.faults->is_on()) {
    auto& changed = line_->server.faults->tools_of(line_->server.name);
    if (!changed.is_empty() && about.method == "tools/list" && !answers_->is_watched(key))
      answers_->watch(key, {}, pages::changed);
    if (changed.is_gone(about.tool)) { // whose list is not read again yet
      answers_->say({}, error_answer(key, invalid_params, "Unknown tool: " + about.tool));
      return true;
    }
    if (!changed.is_empty() && !about.tool.empty())
      message.body = changed.arguments(about.tool, message.body);
  }
  return inner->send(std::move(message), key, std::move(labels));
}

bool faulty_requests::hit(chosen by, msg::spliced_text message, uint64_t key, mcp::request_labels labels) {
  auto* rule = by.what.fault;
  auto watched = [&] {
    answers_->watch(key, std::move(by), labels.about.method == "tools/list" ? pages::changed : pages::as_they_are);
    return pass(std::move(message), key, std::move(labels));
  };
  if (!rule)
    return watched();
  bool is_done = rule->landed == effect::done;
  switch (rule->what) {
    case kind::error:
    case kind::rate_limited:
    case kind::unauthorized:
      if (is_done)
        return watched();
      answers_->say(by, refusal(key, *rule));
      return true;
    case kind::timeout: return is_done ? watched() : lost(by, key);
    case kind::drop: return rule->which == part::request ? lost(by, key) : watched();
    case kind::disconnect:
    case kind::crash:
      if (is_done)
        return watched();
      line_->cut();
      return lost(by, key);
    case kind::hang:
      hang(rule->lasts);
      lost(by, key);
      return send(std::move(message), key, std::move(labels));
    case kind::schema_change:
    case kind::tool_gone:
      if (labels.about.method == "tools/call")
        return hit_tools(by, key, labels);
      change_tools(*rule, rule->tool);
      return watched();
    case kind::duplicate:
      if (rule->which == part::request)
        pass(message, doubled_key + ++doubled_, labels);
      return watched();
    default: return watched();
  }
}

/// Nothing goes to the server, and nothing comes.
bool faulty_requests::lost(const chosen& by, uint64_t key) {
  line_->note(by, key, {});
  return true;
}

/// A call of a tool that is another one from now on: it is answered as the new version would.
bool faulty_requests::hit_tools(const chosen& by, uint64_t key, const mcp::request_labels& labels) {
  auto& tool = labels.about.tool;
  change_tools(*by.what.fault, tool);
  auto why = by.what.fault->what == kind::tool_gone
               ? "Unknown tool: " + tool
               : "Invalid arguments for tool " + tool + ": its parameters have changed";
  answers_->say(by, error_answer(key, invalid_params, why));
  answers_->say({}, mcp::tools_have_changed());
  return true;
}

void faulty_requests::change_tools(const rule& by, const std::string& tool) {
  auto& changed = line_->server.faults->tools_of(line_->server.name);
  if (by.what == kind::tool_gone)
    changed.remove(tool);
  else
    changed.rename_parameter(tool, by.parameter);
}

void faulty_requests::tell(const chosen& by, msg::call_key call) const {
  if (auto* trace = line_->server.faults->trace(); trace && call.run == 0 && call.call == 0)
    trace->hit(facts_of(by.what.told()->what).name);
  if (line_->server.told)
    line_->server.told({call, by.name, by.what.number, std::string{facts_of(by.what.told()->what).name}});
}

/// Of a server that does, nothing is read, and it reads nothing; zero: until it is started anew.
void faulty_requests::hang(milliseconds lasts) {
  line_->hangs = true;
  if (lasts.count() == 0)
    line_->hang.expires_at(delay_timer::time_point::max());
  else
    line_->hang.expires_after(lasts);
  line_->hang.async_wait([self = shared_from_this()](std::error_code) { self->go_on(); });
}

void faulty_requests::go_on() {
  line_->hangs = false;
  auto waiting = std::exchange(held_, {});
  for (auto& one : waiting)
    pass(std::move(one.text), one.key, std::move(one.labels));
}

bool faulty_requests::take_back(uint64_t key) {
  return std::erase_if(held_, [key](auto& one) { return one.key == key; }) > 0;
}

} // namespace faults
