#include "tests/simulation/injected.hpp"

#include "faults/faulty_logins.hpp"
#include "tests/simulation/chance.hpp"

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <boost/json.hpp>
#include <caf/all.hpp>

#include <array>
#include <cstdlib>
#include <functional>
#include <sched.h>
#include <span>
#include <sys/timerfd.h>
#include <unistd.h>
#include <utility>

namespace simulation {

namespace json = boost::json;

namespace {

faults::clock::time_point virtual_now;

struct possible_fault {
  const char* kind;
  const char* more; ///< of its rule, as members of an object
};
/// All that the contract lists for calls.
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

constexpr std::array<possible_fault, 10> faults_of_starts{{{"latency", R"("ms":3000)"},
                                                           {"error", ""},
                                                           {"timeout", R"("effect":"done")"},
                                                           {"drop", R"("what":"request")"},
                                                           {"disconnect", ""},
                                                           {"crash", R"("effect":"done")"},
                                                           {"hang", ""},
                                                           {"garbage", ""},
                                                           {"rate_limited", R"("retryAfterMs":500)"},
                                                           {"unauthorized", ""}}};

constexpr std::array<possible_fault, 15> faults_of_lists{{{"latency", R"("ms":3000)"},
                                                          {"error", ""},
                                                          {"timeout", ""},
                                                          {"drop", R"("what":"answer")"},
                                                          {"disconnect", ""},
                                                          {"crash", ""},
                                                          {"garbage", ""},
                                                          {"truncate", R"("what":"message")"},
                                                          {"slow_stream", R"("bytesPerSecond":200)"},
                                                          {"rate_limited", ""},
                                                          {"unauthorized", ""},
                                                          {"schema_change", R"("tool":"echo")"},
                                                          {"tool_gone", R"("tool":"echo")"},
                                                          {"empty", ""},
                                                          {"huge", R"("bytes":5000)"}}};

constexpr std::array<possible_fault, 10> faults_of_models{{{"latency", R"("ms":700)"},
                                                           {"error", ""},
                                                           {"timeout", ""},
                                                           {"disconnect", ""},
                                                           {"garbage", ""},
                                                           {"truncate", R"("keep":0.3)"},
                                                           {"rate_limited", R"("retryAfterMs":300)"},
                                                           {"unauthorized", ""},
                                                           {"refusal", ""},
                                                           {"nonsense", ""}}};

constexpr std::array<possible_fault, 2> faults_of_logins{{{"unauthorized", ""}, {"wrong_scope", R"("scope":"write")"}}};

json::object rule_of(std::span<const possible_fault> faults, chance& luck) {
  auto& fault = faults[luck.below(faults.size())];
  auto rule = json::parse(std::string{"{"} + fault.more + "}").as_object();
  rule["kind"] = fault.kind;
  rule["probability"] = 0.2 * static_cast<double>(1 + luck.below(5));
  return rule;
}

/// What each, or one, of the servers has that faults may hit.
json::array some_of(const std::string& what, chance& luck) {
  json::array out;
  auto only = luck.below(6);
  uint64_t number = 0;
  for (std::string server : {"a", "b", "c"})
    if (only >= 3 || only == number++)
      out.push_back(json::string{"mcp__" + server + "__" + what});
  return out;
}

json::object rule_of(chance& luck) {
  json::object rule;
  switch (luck.below(7)) {
    case 0:
      rule = rule_of(faults_of_starts, luck);
      rule["on"] = "start";
      rule["match"] = some_of("initialize", luck);
      break;
    case 1:
      rule = rule_of(faults_of_lists, luck);
      rule["on"] = "list";
      rule["match"] = some_of("tools/list", luck);
      break;
    case 2:
      rule = rule_of(faults_of_models, luck);
      rule["on"] = "model";
      rule["match"] = "llm__*";
      break;
    case 3:
      rule = rule_of(faults_of_logins, luck);
      rule["on"] = "login";
      rule["match"] = some_of("*", luck);
      break;
    default: rule = rule_of(possible_faults, luck); rule["match"] = some_of(luck.one_in(4) ? "echo" : "*", luck);
  }
  return rule;
}

std::shared_ptr<faults::injector> some_faults(uint64_t seed) {
  chance luck{seed ^ 0x22222222};
  if (luck.one_in(2))
    return nullptr;
  json::array rules;
  for (auto n = 1 + luck.below(8); n > 0; --n)
    rules.push_back(rule_of(luck));
  auto read = faults::read_plan(msg::document{json::object{{"seed", seed}, {"rules", std::move(rules)}}});
  if (!read.ok())
    std::abort();
  return std::make_shared<faults::injector>(std::move(read.plan));
}

asio::awaitable<void> nothing() { co_return; }

std::function<void(msg::injected_fault)> teller(msg::child_server_actor owner, uint64_t generation) {
  return [owner = std::move(owner), generation](msg::injected_fault fault) {
    caf::anon_send(owner, msg::injected_atom::value, generation, std::move(fault));
  };
}

} // namespace

injected_faults::injected_faults(uint64_t seed)
  : kernel_timer_(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC)),
    faults_(some_faults(seed)) {
  faults::clock::simulated = [] { return virtual_now; };
  cpu_set_t here;
  CPU_ZERO(&here);
  CPU_SET(static_cast<size_t>(::sched_getcpu()), &here);
  if (::sched_getaffinity(0, sizeof processors_, &processors_) != 0 || ::sched_setaffinity(0, sizeof here, &here) != 0)
    std::abort();
}

injected_faults::~injected_faults() {
  faults::clock::simulated = nullptr;
  ::sched_setaffinity(0, sizeof processors_, &processors_);
}

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
  return faults::open_with_faults({server, io_.get_executor(), faults_, teller(owner, generation)}, open,
                                  std::move(events));
}

bool injected_faults::refuses_login(const std::string& server, const msg::child_server_actor& owner,
                                    uint64_t generation, const mcp::request_subject& about) {
  return are_on()
         && faults::login_faults({server, io_.get_executor(), faults_, teller(owner, generation)})(about).has_value();
}

faults::model_sender injected_faults::put_on(const std::string& provider, const std::string& model,
                                             faults::model_sender real) {
  if (!are_on())
    return real;
  return faults::with_faults({provider, model, io_.get_executor(), faults_}, std::move(real));
}

void injected_faults::read(asio::awaitable<void> message) { asio::co_spawn(io_, std::move(message), asio::detached); }

void injected_faults::set_time(faults::clock::time_point now) { virtual_now = now; }

bool injected_faults::go_on() {
  if (!are_on())
    return false;
  if (std::exchange(faults::clock::is_kernel_told, false))
    wait_for_the_kernel();
  io_.restart();
  return io_.poll() > 0;
}

/// A timer of ours that is begun later on the same processor: when it has ended, asio's has too. Else what is due now
/// would sometimes happen later.
void injected_faults::wait_for_the_kernel() const {
  itimerspec at_once{};
  at_once.it_value.tv_nsec = 1;
  uint64_t times = 0;
  if (::timerfd_settime(kernel_timer_.get(), 0, &at_once, nullptr) != 0
      || ::read(kernel_timer_.get(), &times, sizeof times) != sizeof times)
    std::abort();
}

void injected_faults::end() {
  virtual_now = faults::clock::time_point::max();
  while (go_on()) {
  }
}

} // namespace simulation
