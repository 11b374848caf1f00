#include "tests/simulation/injected.hpp"

#include "tests/simulation/chance.hpp"

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <boost/json.hpp>
#include <caf/all.hpp>

#include <array>
#include <cstdlib>
#include <utility>

namespace simulation {

namespace json = boost::json;

namespace {

faults::clock::time_point virtual_now;

struct possible_fault {
  const char* kind;
  const char* more; ///< of its rule, as members of an object
};
/// All that the contract lists for servers.
constexpr std::array<possible_fault, 20> possible_faults{{{"latency", R"("ms":700)"},
                                                          {"error", ""},
                                                          {"timeout", ""},
                                                          {"drop", R"("what":"answer")"},
                                                          {"disconnect", R"("effect":"done")"},
                                                          {"crash", ""},
                                                          {"hang", R"("ms":1500)"},
                                                          {"garbage", ""},
                                                          {"truncate", R"("what":"text")"},
                                                          {"duplicate", R"("what":"request")"},
                                                          {"reorder", R"("ms":500)"},
                                                          {"slow_stream", R"("bytesPerSecond":100)"},
                                                          {"rate_limited", R"("retryAfterMs":500)"},
                                                          {"unauthorized", ""},
                                                          {"schema_change", ""},
                                                          {"tool_gone", ""},
                                                          {"wrong_type", ""},
                                                          {"empty", ""},
                                                          {"huge", R"("bytes":5000)"},
                                                          {"injection", R"("tool":"mcp__well__write")"}}};

json::object rule_of(chance& luck) {
  auto& fault = possible_faults[luck.below(possible_faults.size())];
  auto rule = json::parse(std::string{"{"} + fault.more + "}").as_object();
  rule["kind"] = fault.kind;
  rule["match"] = luck.one_of({"mcp__a__*", "mcp__a__echo", "mcp__b__*", "mcp__c__*"});
  rule["probability"] = 0.1 + 0.1 * static_cast<double>(luck.below(5));
  return rule;
}

std::shared_ptr<faults::injector> some_faults(uint64_t seed) {
  chance luck{seed ^ 0x22222222};
  if (luck.one_in(2))
    return nullptr;
  json::array rules;
  for (auto n = 1 + luck.below(6); n > 0; --n)
    rules.push_back(rule_of(luck));
  auto read = faults::read_plan(msg::document{json::object{{"seed", seed}, {"rules", std::move(rules)}}});
  if (!read.ok())
    std::abort();
  return std::make_shared<faults::injector>(std::move(read.plan));
}

asio::awaitable<void> nothing() { co_return; }

} // namespace

injected_faults::injected_faults(uint64_t seed) : faults_(some_faults(seed)) {
  faults::clock::simulated = [] { return virtual_now; };
}

injected_faults::~injected_faults() { faults::clock::simulated = nullptr; }

msg::outcome<std::shared_ptr<mcp::connection>> injected_faults::put_on(const std::string& server,
                                                                       msg::child_server_actor owner,
                                                                       uint64_t generation,
                                                                       const faults::connection_opener& open) {
  mcp::connection_events events;
  events.received = [owner, generation](msg::document message, uint64_t during) {
    caf::anon_send(owner, msg::received_atom::value, generation, std::move(message), during);
    return nothing();
  };
  events.non_protocol_line = [owner, generation](std::string text) {
    caf::anon_send(owner, msg::non_protocol_atom::value, generation, std::move(text));
    return nothing();
  };
  events.closed = [owner, generation](msg::fault why) {
    caf::anon_send(owner, msg::closed_atom::value, generation, std::move(why));
  };
  auto told = [owner, generation](msg::injected_fault fault) {
    caf::anon_send(owner, msg::injected_atom::value, generation, std::move(fault));
  };
  return faults::open_with_faults({server, io_.get_executor(), faults_, told}, open, std::move(events));
}

void injected_faults::read(asio::awaitable<void> message) { asio::co_spawn(io_, std::move(message), asio::detached); }

void injected_faults::set_time(faults::clock::time_point now) { virtual_now = now; }

bool injected_faults::go_on() {
  if (!are_on())
    return false;
  io_.restart();
  return io_.poll() > 0;
}

void injected_faults::end() {
  virtual_now = faults::clock::time_point::max();
  while (go_on()) {
  }
}

} // namespace simulation
