#include "faults/faulty_line.hpp"

#include "mcp/decorated_connection.hpp"

#include <asio/post.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

namespace faults {

namespace json = boost::json;

namespace {

/// Requests whose arguments are kept until it is known what becomes of them, the latest; larger arguments are not.
constexpr size_t noted_max = 1'000, noted_bytes_max = size_t{256} << 10;

/// Whether the server carries it out, as far as the fault goes.
bool lands(const rule* by) {
  if (!by)
    return true;
  switch (by->what) {
    case kind::error:
    case kind::rate_limited:
    case kind::unauthorized:
    case kind::timeout:
    case kind::disconnect:
    case kind::crash: return by->landed == effect::done;
    case kind::drop: return by->which == part::answer;
    case kind::hang:
    case kind::tool_gone:
    case kind::schema_change: return false;
    default: return true;
  }
}

} // namespace

void faulty_line::trace_begin(const chosen& by, const msg::document& arguments, uint64_t key) {
  auto* trace = server.faults->trace();
  if (!trace || traced_.size() >= watched_max)
    return;
  auto* told = by.what.told();
  traced_[key] = trace->begun(by.name, arguments, told ? facts_of(told->what).name : "", lands(by.what.fault));
}

void faulty_line::trace_canary(const rule& by, uint64_t key) {
  server.faults->planted(by);
  auto* trace = server.faults->trace();
  if (auto call = traced_.find(key); trace && call != traced_.end())
    trace->planted(call->second, canary_of(by));
}

void faulty_line::remember(const msg::document& arguments, uint64_t key) {
  if (!server.noted)
    return;
  noted_.insert_or_assign(key, arguments.held_bytes() <= noted_bytes_max ? arguments : msg::document{});
  if (noted_.size() > noted_max) // most of them are never answered
    noted_.erase(noted_.begin());
}

void faulty_line::note(const chosen& by, uint64_t key, const msg::document& answer) {
  auto arguments = noted_.extract(key);
  if (!arguments || !by.what.is_hit())
    return;
  auto& rule = by.what.fault ? *by.what.fault : *by.what.delay;
  json::object fault{{"kind", facts_of(rule.what).name},
                     {"on", to_string(rule.when)},
                     {"tool", by.name},
                     {"call", by.what.number},
                     {"at", now_ms()},
                     {"arguments", arguments.mapped().value()}};
  auto* message = answer.value().if_object();
  for (std::string_view member : {"result", "error"})
    if (auto* said = message ? message->if_contains(member) : nullptr)
      fault.emplace(member, *said);
  if (answer.value().is_string())
    fault.emplace("text", answer.value());
  if (rule.what == kind::injection)
    fault.emplace("canary", json::object{{"tool", rule.tool}, {"arguments", rule.arguments.value()}});
  auto connection = inner.lock();
  server.noted(std::move(fault), connection ? connection->mask() : mcp::masking{});
}

void faulty_line::trace_end(const msg::document& message) {
  auto* trace = server.faults->trace();
  if (!trace)
    return;
  trace->tools(server.name, message);
  if (auto call = traced_.extract(mcp::answered_by(message)))
    trace->ended(call.mapped(), message);
}

/// The process, or the connection, ends in the middle of everything.
void faulty_line::cut() {
  is_cut = true;
  asio::post(server.executor, [self = shared_from_this()] {
    self->hang.cancel();
    if (auto inner = self->inner.lock())
      inner->kill();
  });
}

} // namespace faults
